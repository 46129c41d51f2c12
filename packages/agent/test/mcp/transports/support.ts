import { childEnvironment, tempFolder, type TempFolder } from "@acumen/testkit";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { ProcessGuard } from "../../../src/process/process-guard.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import type {
  McpServerDefinition,
  RemoteDefinition,
  StdioDefinition,
} from "../../../src/mcp/config/server-definition.ts";
import type {
  OpenedTransport,
  TransportContext,
} from "../../../src/mcp/transports/opened-transport.ts";
import { openTransport } from "../../../src/mcp/transports/open-transport.ts";

const COMMON = {
  timeoutMs: 60_000,
  startupTimeoutMs: 20_000,
  onConflict: "reject",
  trustReadOnlyHint: false,
} as const;

/** Answers what a client asks first; everything else comes from the script behind it. */
const GREETING = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tools = [{ name: "echo", inputSchema: { type: "object" } }];
const handlers = {
  initialize: ({ params }) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "small", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ params }) => ({ content: [{ type: "text", text: JSON.stringify(params.arguments ?? {}) }] }),
};
let rest = "";
const listen = () => process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    const result = handlers[message.method]?.(message);
    if (result !== undefined) send({ id: message.id, result });
  }
});
`;

export function stdio(
  command: string,
  args: readonly string[] = [],
  more: Partial<StdioDefinition> = {},
): StdioDefinition {
  return { ...COMMON, transport: "stdio", command, args, env: {}, ...more };
}

/** A server of JavaScript: \`listen()\` begins to answer, \`handlers\` may be changed, \`send\` writes. */
export function scripted(
  script = "listen();",
  more: Partial<StdioDefinition> & { readonly words?: readonly string[] } = {},
): StdioDefinition {
  const { words = [], ...rest } = more;
  return stdio(process.execPath, ["-e", GREETING + script, "--", ...words], rest);
}

export function remote(
  transport: "http" | "sse",
  url: string,
  headers: Readonly<Record<string, string>> = {},
): RemoteDefinition {
  return { ...COMMON, transport, url, headers };
}

export interface Bench extends AsyncDisposable {
  readonly folder: TempFolder;
  readonly context: TransportContext;
  open(
    definition: McpServerDefinition,
    context?: Partial<TransportContext>,
  ): Promise<OpenedTransport>;
}

/** A working directory and a guard; what was opened is closed at the end. */
export async function bench(): Promise<Bench> {
  const folder = await tempFolder();
  const guard = new ProcessGuard();
  const opened: OpenedTransport[] = [];
  const context: TransportContext = {
    name: "small",
    cwd: folder.join("."),
    environment: { ...childEnvironment(), ACUMEN_AGENT: "1" },
    guard,
    redact: createRedactor(),
    signal: new AbortController().signal,
  };
  return {
    folder,
    context,
    open: async (definition, more) => {
      const transport = await openTransport(definition, { ...context, ...more });
      opened.push(transport);
      return transport;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((transport) => transport.close()));
      guard.close();
      await folder.remove();
    },
  };
}

export interface Heard {
  readonly messages: readonly JSONRPCMessage[];
  readonly errors: readonly Error[];
  closed(): number;
}

/** Starts it without a client. */
export async function started({ transport }: OpenedTransport): Promise<Heard> {
  const heard = listenTo(transport);
  await transport.start();
  return heard;
}

export function listenTo(transport: OpenedTransport["transport"]): Heard {
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  let closed = 0;
  transport.onmessage = (message) => void messages.push(message);
  transport.onerror = (error) => void errors.push(error);
  transport.onclose = () => void (closed += 1);
  return { messages, errors, closed: () => closed };
}

export const PING = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
