// An MCP server on stdio whose tools come from its arguments: each NAME is a tool that says the word it was called by.
// `--exit` ends it before it answers; `--slow MS` lets it wait with its greeting; `--echo-env NAME` writes a variable to stderr
// and ends it.
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const args = process.argv.slice(2);
const valueOf = (flag) => {
  const at = args.indexOf(flag);
  return at === -1 ? undefined : args.splice(at, 2)[1];
};
const leaked = valueOf("--echo-env");
const slow = valueOf("--slow");
if (leaked !== undefined) {
  process.stderr.write(`cannot log in with ${process.env[leaked]}\n`);
  process.exit(3);
}
if (slow !== undefined) await new Promise((resolve) => setTimeout(resolve, Number(slow)));

serveStdio(() => {
  const server = new McpServer({ name: "words", version: "1.0.0" });
  for (const name of args) {
    server.registerTool(
      name,
      {
        description: `Says ${name}.`,
        inputSchema: fromJsonSchema({
          type: "object",
          properties: {},
          additionalProperties: false,
        }),
      },
      () => ({ content: [{ type: "text", text: `the word is ${name}` }] }),
    );
  }
  return server;
});
