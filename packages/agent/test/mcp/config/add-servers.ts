// Not the whole package: loading it takes longer than the work.
import { McpConfigManager } from "../../../src/mcp/config/mcp-config-manager.ts";
import { WorkspaceTrust } from "../../../src/trust/workspace-trust.ts";

/** Started as a process of its own: adds and enables servers one after the other. */
const [home = "", cwd = "", ...names] = process.argv.slice(2);
const environment = {};
const trust = new WorkspaceTrust({ home, environment });
const manager = new McpConfigManager({ home, environment, trust });
for (const name of names) {
  await manager.add(name, { command: name });
  await manager.enable(cwd, name);
}
