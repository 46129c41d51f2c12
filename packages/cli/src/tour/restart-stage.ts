import { restartLines, titleLines } from "./report.ts";
import { countKept, readSavedSkills } from "./saved-skills.ts";
import { exam, factsOf, SAVED_FILE, saveBook, SESSION, type Stage, withServer } from "./stage.ts";
import type { LearningResult, RestartResult } from "./tour-result.ts";

/** The second process is spoken to in the stateless revision, so that one tour shows both protocol eras. */
const SECOND_REVISION = "2026-07-28";

/** The second process: it has only the saved file, loads it, takes the exam and saves the book again for comparison. */
export async function recallInSecondProcess(
  stage: Stage,
  learning: LearningResult,
): Promise<RestartResult> {
  const { terminal } = stage;
  terminal.print(...titleLines(terminal, "6. Restart: nothing but the saved file is left"));
  const restart = await withServer(
    stage,
    async (server) => {
      const reply = await server.call("ace.skillbook.load", {
        session_id: SESSION,
        path: SAVED_FILE,
      });
      const again = await exam(stage, server, SESSION, "asking the new process");
      const first = await readSavedSkills(`${stage.root}/${SAVED_FILE}`);
      const { path } = await saveBook(stage, server, "again.json");
      return {
        server: await factsOf(server),
        loadedSkills: Number(reply["skill_count"]),
        keptSkills: countKept(first, await readSavedSkills(path)),
        identicalAnswers: countSame(again.answers, learning.answers),
        score: again.score,
      };
    },
    { revision: SECOND_REVISION },
  );
  terminal.print(...restartLines(terminal, learning, restart));
  return restart;
}

function countSame(answers: readonly string[], others: readonly string[]): number {
  return answers.filter((answer, at) => answer === others[at]).length;
}
