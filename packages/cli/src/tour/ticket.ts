import { isJsonObject } from "@acumen/core";
import { cliError } from "../errors.ts";

/** What the tour's agent learns to do: name the queue of a support ticket. */
export interface Ticket {
  readonly id: string;
  /** Tickets to learn from and tickets of the exam never mix. */
  readonly use: "learn" | "held-out";
  /** The right answer, word for word. */
  readonly queue: string;
  readonly subject: string;
  readonly text: string;
}

/** The ticket as it is asked. */
export function questionOf(ticket: Ticket): string {
  return `${ticket.subject}: ${ticket.text}`;
}

/** @throws CLI_DATA_INVALID naming the line and the field. */
export function parseTicket(value: unknown, line: number): Ticket {
  if (!isJsonObject(value)) throw invalid(line, "is not a JSON object");
  const { id, use, queue, subject, text } = value;
  if (use !== "learn" && use !== "held-out") throw invalid(line, '"use" is not learn or held-out');
  return {
    id: filled(id, "id", line),
    use,
    queue: filled(queue, "queue", line),
    subject: filled(subject, "subject", line),
    text: filled(text, "text", line),
  };
}

function filled(value: unknown, field: string, line: number): string {
  if (typeof value !== "string" || value.trim() === "") {
    throw invalid(line, `"${field}" is not a text`);
  }
  return value;
}

function invalid(line: number, reason: string): Error {
  return cliError("CLI_DATA_INVALID", `Line ${line} of the ticket file ${reason}.`, {
    details: { line },
  });
}
