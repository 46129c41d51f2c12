import type { Readable, Writable } from "node:stream";
import { AcpAgentServer, type HostedAgent, stdioStream } from "@acumen/acp";
import type { OpenedAgent } from "../agent/open-agent.ts";
import type { CommandContext } from "../command-context.ts";
import type { AcpFlags } from "../commands/acp.ts";
import { packageVersion } from "../version.ts";

/** Serves one host until its input ends or a signal comes. Nothing but the protocol is written to stdout. */
export async function serveHost(flags: AcpFlags, context: CommandContext): Promise<void> {
  const { environment, stdin, stdout, signal } = context;
  const server = new AcpAgentServer({
    info: { name: "acumen", title: "Acumen", version: packageVersion() },
    greet: () => Promise.resolve({ image: true }),
    open: async () => {
      opened = await openHosted();
      return hosted(opened);
    },
  });
  let opened: OpenedAgent | undefined;
  const openHosted = async (): Promise<OpenedAgent> => {
    const { openAgent } = await import("../agent/open-agent.ts");
    return openAgent(environment, flags);
  };
  const stream = stdioStream(stdin() as unknown as Readable, stdout as unknown as Writable);
  const connection = server.connect(stream);
  signal.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  await server.close();
  await opened?.[Symbol.asyncDispose]();
}

function hosted(opened: OpenedAgent): HostedAgent {
  return {
    agent: opened.agent,
    choose: async (cwd) => {
      const { model, mode } = await opened.workspace(cwd);
      return { model: model?.id, mode };
    },
    models: () => Promise.resolve([]),
  };
}
