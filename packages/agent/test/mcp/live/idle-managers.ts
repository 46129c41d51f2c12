import { McpRuntimeManager } from "../../../src/mcp/mcp-runtime-manager.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { ChangingSource } from "./changing-source.ts";

// A hundred sessions without servers, none of them closed: nothing of them keeps this process running.
for (let count = 0; count < 100; count += 1) {
  const manager = new McpRuntimeManager({
    source: new ChangingSource(),
    cwd: "/",
    environment: {},
    redact: createRedactor(),
    outputFolder: () => Promise.resolve("/"),
  });
  manager.start();
  await manager.ready(new AbortController().signal);
}
process.stdout.write(
  `${process
    .getActiveResourcesInfo()
    .filter((one) => one !== "PipeWrap")
    .join(" ")}.\n`,
);
