import { titleLines } from "../report.ts";
import type { Stage } from "../stage.ts";
import { rateTheTurn, reviewProposals, useTheSkill } from "./lesson.ts";
import { preparePlace } from "./practice-place.ts";
import { changeLines, practiceIntroLines, sessionLines, testLines } from "./practice-report.ts";
import { PracticeRepository } from "./practice-repository.ts";
import type { PracticeResult } from "./practice-result.ts";
import { mendTheCode } from "./practice-session.ts";

/**
 * The second act: the coding agent mends a failing test in a repository of its own, is rated, and uses in the next session
 * what it learned. Whatever it starts has ended when this settles.
 * @throws CLI_TOUR_FAILED; the signal's reason after an abort
 */
export async function practise(stage: Stage): Promise<PracticeResult> {
  const { terminal, signal } = stage;
  const title = (text: string): void => terminal.print(...titleLines(terminal, text));
  terminal.print(...practiceIntroLines(terminal));

  title("7. A repository with a failing test");
  const place = await preparePlace(stage);
  const repository = await PracticeRepository.create({
    path: place.repository,
    env: place.env,
    ...(signal && { signal }),
  });
  const before = await repository.test();
  terminal.print(...testLines(terminal, "Before", before));

  title("8. The agent reads, patches and runs: its events as they come");
  const session = await mendTheCode(stage, place);
  terminal.print(...sessionLines(terminal, session));
  const changedFiles = await repository.changedFiles();
  const after = await repository.test();
  terminal.print(...changeLines(terminal, changedFiles), ...testLines(terminal, "After", after));

  title("9. The turn is rated, and what it teaches is reviewed");
  const { proposals, absentBefore } = await rateTheTurn(stage, place, session.id);
  const accepted = await reviewProposals(stage, place, proposals);

  title("10. The next session: a new process, acumen run --json");
  const next = await useTheSkill(stage, place);
  return {
    tests: { before, after },
    session,
    changedFiles,
    lesson: { proposed: proposals.length, accepted, absentBefore, next },
  };
}
