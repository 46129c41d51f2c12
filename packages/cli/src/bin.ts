import { main } from "./main.ts";
import { endOnBrokenPipe, signalToAbort } from "./process-end.ts";

endOnBrokenPipe(process.stdout);
const { stdout, stderr } = process;
process.exitCode = await main(process.argv.slice(2), { stdout, stderr, signal: signalToAbort() });
