import type { AceServer } from "./ace-server.ts";
import { type Score, scoreAnswers } from "./accuracy.ts";
import { questionOf, type Ticket } from "./ticket.ts";

export interface ExamResult {
  /** In the order of the tickets. */
  readonly answers: readonly string[];
  readonly score: Score;
  /** Milliseconds of each `ace.ask` round trip. */
  readonly latencies: readonly number[];
}

export interface ExamOptions {
  readonly session: string;
  readonly onProgress?: (done: number) => void;
}

/** Asks every ticket, one after the other, and compares the answers with the tickets' queues. Teaches nothing. */
export async function holdExam(
  server: AceServer,
  tickets: readonly Ticket[],
  options: ExamOptions,
): Promise<ExamResult> {
  const answers: string[] = [];
  const latencies: number[] = [];
  for (const ticket of tickets) {
    const startedAt = performance.now();
    answers.push(await askQueue(server, options.session, ticket));
    latencies.push(performance.now() - startedAt);
    options.onProgress?.(answers.length);
  }
  const expected = tickets.map((ticket) => ticket.queue);
  return { answers, latencies, score: scoreAnswers(expected, answers) };
}

/** One `ace.ask`; the answer as it came. */
export async function askQueue(
  server: AceServer,
  session: string,
  ticket: Ticket,
): Promise<string> {
  const reply = await server.call("ace.ask", { session_id: session, question: questionOf(ticket) });
  return String(reply["answer"]);
}
