import type { AceServer } from "./ace-server.ts";
import { majorityScore, median } from "./accuracy.ts";
import type { ExamResult } from "./exam.ts";
import { bestOfEachConclusion, listSkills } from "./learned-skill.ts";
import {
  examLines,
  lessonLines,
  scoreLines,
  serverLines,
  skillLines,
  titleLines,
} from "./report.ts";
import { readSavedSkills } from "./saved-skills.ts";
import { withShuffledQueues } from "./shuffled-labels.ts";
import {
  exam,
  factsOf,
  SAVED_FILE,
  saveBook,
  SESSION,
  type Stage,
  withProgress,
  withServer,
} from "./stage.ts";
import { teachByFeedback, teachSamples } from "./teaching.ts";
import type { Ticket } from "./ticket.ts";
import type { LearningResult } from "./tour-result.ts";

/** Of the tickets to learn, the last ones are taught by feedback: an agent that knows a little already is corrected. */
const FEEDBACK_TICKETS = 28;
const SHOWN_SKILLS = 3;
const CONTROL_SESSION = "tour-shuffled";

/** The first process: exam, lessons, the exam again beside its controls, and the book saved to {@link SAVED_FILE}. */
export async function learnInFirstProcess(stage: Stage): Promise<LearningResult> {
  const { terminal } = stage;
  terminal.print(...titleLines(terminal, "1. Start ace-mcp"));
  return withServer(stage, async (server) => {
    const facts = await factsOf(server);
    terminal.print(...serverLines(terminal, facts));

    terminal.print(...titleLines(terminal, "2. Exam before learning"));
    const before = await exam(stage, server, SESSION, "asking");
    terminal.print(...examLines(terminal, before.score));

    terminal.print(...titleLines(terminal, "3. Lessons"));
    const lessons = await giveLessons(stage, server);
    terminal.print(...lessonLines(terminal, lessons));

    terminal.print(...titleLines(terminal, "4. The same exam after learning"));
    const after = await exam(stage, server, SESSION, "asking again");
    const control = await learnShuffled(stage, server);
    const book = await saveBook(stage, server, SAVED_FILE);
    const { learn, heldOut } = stage.dataset;
    const result: LearningResult = {
      server: facts,
      before: before.score,
      after: after.score,
      answers: after.answers,
      majority: majorityScore(learn.map(queueOf), heldOut.map(queueOf)),
      shuffled: control.score,
      lessons: { ...lessons, failed: lessons.failed + control.failed },
      askMs: median([...before.latencies, ...after.latencies, ...control.latencies]),
      savedSkills: book.skills,
    };
    terminal.print(...scoreLines(terminal, result));
    await showSkills(stage, server, book);
    return result;
  });
}

async function giveLessons(stage: Stage, server: AceServer): Promise<LearningResult["lessons"]> {
  const { learn } = stage.dataset;
  const samples = learn.slice(0, -FEEDBACK_TICKETS);
  const rest = learn.slice(-FEEDBACK_TICKETS);
  const { failed } = await withProgress(
    stage,
    "learning from samples",
    samples.length,
    (onProgress) => teachSamples(server, samples, { session: SESSION, onProgress }),
  );
  const whileWorking = await withProgress(
    stage,
    "learning from feedback",
    rest.length,
    (onProgress) => teachByFeedback(server, rest, { session: SESSION, onProgress }),
  );
  return { samples: samples.length, failed, whileWorking };
}

async function learnShuffled(
  stage: Stage,
  server: AceServer,
): Promise<ExamResult & { readonly failed: number }> {
  const tickets = withShuffledQueues(stage.dataset.learn);
  const label = "control: learning shuffled labels";
  const { failed } = await withProgress(stage, label, tickets.length, (onProgress) =>
    teachSamples(server, tickets, { session: CONTROL_SESSION, onProgress }),
  );
  const result = await exam(stage, server, CONTROL_SESSION, "control: asking");
  return { ...result, failed };
}

async function showSkills(
  { terminal }: Stage,
  server: AceServer,
  book: { readonly path: string; readonly skills: number },
): Promise<void> {
  const all = await listSkills(server, SESSION, await readSavedSkills(book.path));
  const shown = bestOfEachConclusion(all, SHOWN_SKILLS);
  const title = `5. What it learned: ${shown.length} of ${book.skills} skills`;
  terminal.print(...titleLines(terminal, title), ...skillLines(terminal, shown));
}

function queueOf(ticket: Ticket): string {
  return ticket.queue;
}
