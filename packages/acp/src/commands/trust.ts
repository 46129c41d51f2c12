import type { TrustState } from "@acumen/agent";
import { throwIfAborted, untilAborted } from "@acumen/core";
import { bullets, paragraphs } from "./answer-text.ts";
import type { CommandRoom, HostCommand } from "./host-command.ts";

const DIFF_CHARS = 4_000;

export const trustCommand: HostCommand = {
  name: "trust",
  description: "Trust this folder as it is now: it may bring settings, MCP servers and skills",
  run: async (room) => {
    const { hosted, session, signal, say } = room;
    const { trust } = hosted;
    if (trust === undefined) return "Folders are not trusted from here.";
    const { cwd } = session.workspace;
    const state = await untilAborted(trust.check(cwd), signal);
    const folder = say.code(state.path);
    if (state.state === "trusted") {
      return paragraphs(
        `${folder} is trusted. \`acumen trust --revoke\` in a terminal ends that.`,
        session.trusted ? "" : `${LATER}.`,
      );
    }
    if (state.problem !== undefined) {
      return `${folder} is not trusted. It can't be trusted: ${say.prose(state.problem)}`;
    }
    throwIfAborted(signal);
    await trust.trust(cwd, { digest: state.digest });
    await session.mcp?.reload();
    return paragraphs(
      `${folder} is trusted as it is now; a change below \`.acumen\` ends that.`,
      changes(state, say),
      session.trusted ? "" : `${serversNow(room)}${LATER}.`,
    );
  },
};

const LATER =
  "Its settings and skills, and mode auto, count from the next session, or when this one is opened again";

/** Servers follow the trust at once, unlike everything else. */
function serversNow({ session }: CommandRoom): string {
  return session.mcp === undefined ? "" : "Its MCP servers start now (see `/mcp`). ";
}

/** What changed since it was trusted before. */
function changes({ difference = [] }: TrustState, say: CommandRoom["say"]): string {
  if (difference.length === 0) return "";
  const diffs = difference.flatMap(({ diff }) => diff ?? []).join("\n");
  return paragraphs(
    "Changed since it was trusted before:",
    bullets(difference.map(({ path, change }) => `${change} ${say.code(path)}`)),
    diffs === "" ? "" : say.block(diffs, DIFF_CHARS),
  );
}
