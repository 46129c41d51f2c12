import type { AceServer } from "./ace-server.ts";
import { type Score, scoreAnswers } from "./accuracy.ts";
import { askQueue } from "./exam.ts";
import { questionOf, type Ticket } from "./ticket.ts";

export interface TeachOptions {
  readonly session: string;
  readonly onProgress?: (done: number) => void;
}

export interface LessonReport {
  readonly processed: number;
  readonly failed: number;
}

/** Most samples that one `ace.learn.sample` call takes. */
const BATCH = 25;

/** Teaches tickets with their queues through `ace.learn.sample`, in batches. */
export async function teachSamples(
  server: AceServer,
  tickets: readonly Ticket[],
  options: TeachOptions,
): Promise<LessonReport> {
  const { session, onProgress } = options;
  let processed = 0;
  let failed = 0;
  for (let start = 0; start < tickets.length; start += BATCH) {
    const samples = tickets.slice(start, start + BATCH).map((ticket) => ({
      question: questionOf(ticket),
      ground_truth: ticket.queue,
    }));
    const reply = await server.call(
      "ace.learn.sample",
      { session_id: session, samples },
      { ...(onProgress && { onProgress: (done: number) => onProgress(start + done) }) },
    );
    processed += Number(reply["processed"]);
    failed += Number(reply["failed"]);
    onProgress?.(start + samples.length);
  }
  return { processed, failed };
}

/**
 * Teaches as a shift at the help desk would: each ticket is asked first, then a person says whether the answer was right,
 * through `ace.learn.feedback`, and names the queue when it was not.
 * @returns how many answers were right before their feedback.
 */
export async function teachByFeedback(
  server: AceServer,
  tickets: readonly Ticket[],
  options: TeachOptions,
): Promise<Score> {
  const answers: string[] = [];
  for (const ticket of tickets) {
    const answer = await askQueue(server, options.session, ticket);
    const right = answer === ticket.queue;
    await server.call("ace.learn.feedback", {
      session_id: options.session,
      question: questionOf(ticket),
      answer,
      feedback: right ? "Correct." : `Wrong: this ticket belongs to ${ticket.queue}.`,
      ...(!right && { ground_truth: ticket.queue }),
    });
    answers.push(answer);
    options.onProgress?.(answers.length);
  }
  return scoreAnswers(
    tickets.map((ticket) => ticket.queue),
    answers,
  );
}
