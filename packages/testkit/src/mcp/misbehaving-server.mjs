import { ScriptedServer } from "./scripted-server.mjs";
import { callModes } from "./modes/call-modes.mjs";
import { changeModes } from "./modes/change-modes.mjs";
import { listModes } from "./modes/list-modes.mjs";
import { processModes } from "./modes/process-modes.mjs";
import { resultModes } from "./modes/result-modes.mjs";
import { startModes } from "./modes/start-modes.mjs";

/**
 * An MCP server over stdio that does one thing wrong, or several: `node misbehaving-server.mjs MODE[+MODE…] [OPTIONS]`, where
 * OPTIONS is JSON as described in `misbehaving-server.ts`. With `--modes` it prints the names it knows.
 */
const modes = {
  well: () => undefined,
  ...startModes,
  ...listModes,
  ...resultModes,
  ...callModes,
  ...changeModes,
  ...processModes,
};

const [wanted = "well", options = "{}"] = process.argv.slice(2);
if (wanted === "--modes") {
  process.stdout.write(`${JSON.stringify(Object.keys(modes))}\n`);
} else {
  const server = new ScriptedServer(JSON.parse(options));
  for (const name of wanted.split("+")) {
    const mode = modes[name];
    if (mode === undefined) {
      process.stderr.write(`unknown mode ${name}\n`);
      process.exit(2);
    }
    mode(server);
  }
  server.start();
}
