import type { HostedAgent } from "@acumen/acp";
import type { OpenedAgent } from "../agent/open-agent.ts";
import { trustState } from "../chat/trust-question.ts";
import { recordRating } from "../learning/rate-turn.ts";
import { refuseAgent, refuseAuto } from "../refuse-agent.ts";

type Powers = Required<Pick<HostedAgent, "checkMode" | "rate" | "trust">>;

/** What a person may do from a host beside prompts; what grants rights is out of reach where the agent itself started it. */
export function hostPowers(
  opened: Pick<OpenedAgent, "loaded" | "resolveModel" | "settingsFault" | "trust" | "workspace">,
): Powers {
  const { variables } = opened.loaded;
  return {
    checkMode: (mode) => refuseAuto(variables, mode),
    rate: (session, rating, text, signal) =>
      recordRating(opened, {
        cwd: session.workspace.cwd,
        session,
        rating,
        text,
        record: (draft) => session.record(draft),
        signal,
      }),
    trust: {
      check: (cwd) => trustState(cwd, opened),
      trust: async (cwd, looked) => {
        refuseAgent(variables, "/trust");
        await opened.trust.trust(cwd, looked);
      },
    },
  };
}
