import { main } from "./main.ts";
import { signalToAbort } from "./process-end.ts";

const { stdout, stderr } = process;
process.exitCode = await main(process.argv.slice(2), {
  stdout,
  stderr,
  signal: signalToAbort(stdout),
});
