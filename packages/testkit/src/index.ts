// Adding a name here makes it public (for tests alone).
export { FakeClock } from "./fake-clock.ts";
export {
  childEnvironment,
  type ProcessExit,
  type StartOptions,
  startProcess,
  type TestProcess,
} from "./process-harness.ts";
export { type Command, sourceCommand } from "./source-command.ts";
export { type TempFolder, tempFolder } from "./temp-folder.ts";
