import { main } from "./main.ts";
import { endWithTerminal, signalToAbort } from "./process-end.ts";

const { stdout, stderr } = process;
endWithTerminal();
process.exitCode = await main(process.argv.slice(2), {
  stdout,
  stderr,
  signal: signalToAbort(stdout),
  exit: (code) => process.exit(code),
});
