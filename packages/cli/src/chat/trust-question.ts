import type { TrustState } from "@acumen/agent";
import type { OpenedAgent } from "../agent/open-agent.ts";
import { choiceFault, contentLines } from "../agent/trust-contents.ts";
import type { ChatFlags } from "../commands/chat.ts";
import { isAgent } from "../refuse-agent.ts";
import { workspaceFolder } from "../settings/workspace-folder.ts";
import { printable } from "../terminal/printable.ts";
import type { ChatView } from "./chat-view.ts";
import type { Person } from "./person.ts";

interface TrustQuestion {
  readonly flags: ChatFlags;
  readonly person: Person;
  readonly view: ChatView;
  readonly signal: AbortSignal;
}

/**
 * Asks once, before the session begins, whether a folder is trusted that brings settings of its own or for which mode `auto` was
 * chosen. Without a yes it stays as it is. A child of the agent is not asked.
 * @throws AGENT_WORKSPACE_INVALID, AGENT_SESSION_NOT_FOUND
 */
export async function askTrust(
  opened: OpenedAgent,
  { flags, person, view, signal }: TrustQuestion,
): Promise<void> {
  if (flags.trustOnce === true) return;
  const stored =
    flags.session === undefined ? undefined : (await opened.agent.store.read(flags.session)).meta;
  const { cwd, mode } = await opened.workspace(stored?.cwd ?? flags.cwd ?? process.cwd());
  const state = await trustState(cwd, opened);
  if (state.state === "trusted") return;
  const wantsAuto = (flags.mode ?? stored?.mode ?? mode) === "auto";
  const brings = (await workspaceFolder(cwd, opened.loaded.home)) !== undefined;
  if (!wantsAuto && !brings) return;
  view.print(...(await trustLines(state, opened, { brings, wantsAuto })));
  if (state.problem !== undefined || isAgent(opened.loaded.variables)) return;
  const agreed = await person.ask(signal, ({ confirm }) =>
    confirm({ message: "Trust this folder as it is now?", initial: false }),
  );
  if (agreed) await opened.trust.trust(cwd, { digest: state.digest });
  else
    view.say(
      "It stays untrusted: its settings, servers and skills do not count, and writes and commands ask.",
    );
}

/** Settings that no session could begin with are a problem too, and a choice of servers that would not count. */
export async function trustState(
  cwd: string,
  opened: Pick<OpenedAgent, "loaded" | "settingsFault" | "trust">,
): Promise<TrustState> {
  const state = await opened.trust.check(cwd);
  if (state.state === "trusted" || state.problem !== undefined) return state;
  const { path, digest } = state;
  const fault = await opened.settingsFault({ cwd: path, trusted: true, digest });
  if (fault !== undefined) return { ...state, problem: `${fault.code}: ${fault.message}` };
  const { trust, loaded } = opened;
  const choice = await choiceFault(state, { trust, home: loaded.home });
  return choice === undefined ? state : { ...state, problem: choice };
}

/** What trusting would mean: what the folder holds, or what changed since the last time. */
export async function trustLines(
  state: TrustState,
  { trust, loaded }: Pick<OpenedAgent, "loaded" | "trust">,
  { brings, wantsAuto }: { readonly brings: boolean; readonly wantsAuto: boolean },
): Promise<string[]> {
  const { path, problem } = state;
  return [
    `${printable(path)} ${state.state === "changed" ? "was trusted, and its .acumen folder changed since." : "is not trusted."}`,
    ...(brings ? ["Its .acumen folder would bring settings, tool servers and skills."] : []),
    ...(wantsAuto ? ["Mode auto would run everything here without asking."] : []),
    ...(await contentLines(state, { trust, home: loaded.home })),
    ...(problem === undefined ? [] : [`It can't be trusted: ${printable(problem)}`]),
  ];
}
