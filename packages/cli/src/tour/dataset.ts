import { fileURLToPath } from "node:url";
import { parseJson, readTextFile } from "@acumen/core";
import { cliError } from "../errors.ts";
import { parseTicket, type Ticket } from "./ticket.ts";

/** The tickets of the tour, in the order in which they are taught and asked. */
export interface Dataset {
  readonly learn: readonly Ticket[];
  readonly heldOut: readonly Ticket[];
  /** Names in alphabetical order. */
  readonly queues: readonly string[];
}

/** The same place seen from `src/tour` and from `dist/tour`. */
const DEFAULT_FILE = new URL("../../data/support-tickets.jsonl", import.meta.url);
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads the tour's tickets: one JSON object `{id, use, queue, subject, text}` a line.
 * @throws CLI_DATA_INVALID; CORE_FILE_* when the file cannot be read.
 */
export async function loadDataset(file: URL = DEFAULT_FILE): Promise<Dataset> {
  const content = await readTextFile(fileURLToPath(file), { maxBytes: MAX_BYTES });
  const tickets = content
    .split("\n")
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => text.trim() !== "")
    .map(({ text, line }) => parseTicket(parseLine(text, line), line));
  const learn = tickets.filter((ticket) => ticket.use === "learn");
  const heldOut = tickets.filter((ticket) => ticket.use === "held-out");
  if (learn.length === 0 || heldOut.length === 0) {
    throw cliError(
      "CLI_DATA_INVALID",
      "The ticket file needs tickets to learn and tickets held out.",
    );
  }
  const queues = [...new Set(tickets.map((ticket) => ticket.queue))].toSorted();
  return { learn, heldOut, queues };
}

function parseLine(text: string, line: number): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw cliError("CLI_DATA_INVALID", `Line ${line} of the ticket file is not JSON.`, {
      cause,
      details: { line },
    });
  }
}
