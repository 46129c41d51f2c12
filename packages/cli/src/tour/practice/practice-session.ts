import { CodingAgentBuilder, DEFAULT_SETTINGS, FileSessionStore, textBlock } from "@acumen/agent";
import type { SessionEvent } from "@acumen/agent";
import { resolveModel } from "@acumen/models";
import type { Stage } from "../stage.ts";
import { type PracticePlace, scriptedModel } from "./practice-place.ts";
import type { SessionFacts } from "./practice-result.ts";
import { answerLines, eventLines } from "./session-report.ts";
import { tourApprovals } from "./tour-approvals.ts";

const TASK =
  "`node --test` fails in this repository. Find the cause and mend the code, not the test.";

/**
 * One turn of the real agent with a scripted model, printed while it happens. The session is stored and closed when this
 * settles.
 */
export async function mendTheCode(stage: Stage, place: PracticePlace): Promise<SessionFacts> {
  const { terminal, signal } = stage;
  const { home, repository, env } = place;
  const store = new FileSessionStore({ home });
  const agent = new CodingAgentBuilder({
    home,
    store,
    resolveModel: (id) => resolveModel(id, { env: {}, allowScripted: true }),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: env,
  }).build();
  try {
    const session = await agent.createSession({
      cwd: repository,
      model: scriptedModel("mend-the-code"),
      mode: "safe",
      approvals: tourApprovals((request, answer) =>
        terminal.print(...answerLines(terminal, request, answer)),
      ),
    });
    const show = (event: SessionEvent): void => terminal.print(...eventLines(terminal, event));
    for (const event of session.events) show(event);
    const { stopReason } = await agent.runtime.runPrompt(session, [textBlock(TASK)], {
      sink: { event: show },
      source: "tour",
      ...(signal && { signal }),
    });
    const { id } = session;
    await session.close();
    signal?.throwIfAborted();
    return { id, stopReason, ...factsOf((await store.read(id)).events) };
  } finally {
    await agent.close();
  }
}

/** From what is stored, not from what was shown. */
function factsOf(events: readonly SessionEvent[]): Omit<SessionFacts, "id" | "stopReason"> {
  const kinds = new Map<string, string>();
  const facts = { approved: 0, approvedChanges: 0, remembered: 0 };
  for (const { type, payload } of events) {
    if (type === "TOOL_CALL") kinds.set(payload.call_id, payload.kind);
    if (type !== "APPROVAL_DECIDED" || !payload.decision.startsWith("allow")) continue;
    if (payload.by === "remembered") facts.remembered += 1;
    if (payload.by !== "user") continue;
    facts.approved += 1;
    if (kinds.get(payload.call_id) === "edit") facts.approvedChanges += 1;
  }
  return {
    ...facts,
    events: events.length,
    gapFree: events.every(({ seq }, index) => seq === index + 1),
  };
}
