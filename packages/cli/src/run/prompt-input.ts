import type { ContentBlock } from "@acumen/agent";
import type { InputStream } from "../command-context.ts";
import { cliError } from "../errors.ts";
import { readInput } from "../terminal/read-input.ts";

const MAX_MEBIBYTES = 12;
const WAITING_MS = 1_000;

export interface PromptSources {
  /** Of the command line; none, or a single `-`, stands for stdin. */
  readonly words: readonly string[];
  readonly stdin: () => InputStream;
  readonly signal: AbortSignal;
  /** Something for the person who waits. */
  readonly note: (text: string) => void;
}

/**
 * The prompt of a command line. Words beside a pipe are the prompt, and what is piped is attached to it as a document of
 * its own, so that nobody takes it for words of the person.
 * @throws CLI_USAGE for an empty prompt and for more than 12 MiB; the signal's reason
 */
export async function readPrompt(sources: PromptSources): Promise<ContentBlock[]> {
  const { words } = sources;
  if (words.length === 0 || (words.length === 1 && words[0] === "-")) {
    return [{ type: "text", text: await promptOnStdin(sources) }];
  }
  const prompt = words.join(" ");
  if (prompt.trim() === "") throw empty();
  const piped = await pipedText(sources);
  return [
    { type: "text", text: prompt },
    ...(piped === ""
      ? []
      : [{ type: "resource" as const, uri: "stdin:", mime_type: "text/plain", text: piped }]),
  ];
}

async function promptOnStdin(sources: PromptSources): Promise<string> {
  if (sources.stdin().isTTY === true)
    sources.note("Type the prompt; Ctrl-D on a new line ends it.");
  const text = await textOf(sources);
  if (text.trim() === "") throw empty();
  return text;
}

/** Waits for the end of the pipe however long it takes: going on without it would answer another question. */
async function pipedText(sources: PromptSources): Promise<string> {
  if (sources.stdin().isTTY === true) return "";
  const timer = setTimeout(() => {
    sources.note("Reading stdin; `< /dev/null` says that nothing comes.");
  }, WAITING_MS);
  try {
    return await textOf(sources);
  } finally {
    clearTimeout(timer);
  }
}

async function textOf({ stdin, signal, note }: PromptSources): Promise<string> {
  const maxBytes = MAX_MEBIBYTES * 1024 * 1024;
  const bytes = await readInput(stdin(), { maxBytes, signal });
  if (bytes === undefined) {
    throw cliError(
      "CLI_USAGE",
      `stdin holds more than ${MAX_MEBIBYTES} MiB. Pipe less of it, or name a file for the agent to read.`,
      { details: { max_bytes: maxBytes } },
    );
  }
  if (bytes.includes(0)) {
    throw cliError("CLI_USAGE", "stdin holds binary data; a prompt is text in UTF-8.");
  }
  const text = Buffer.from(bytes).toString("utf8");
  if (text.includes("\uFFFD")) note("stdin is not all UTF-8: unreadable bytes became U+FFFD.");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function empty(): Error {
  return cliError(
    "CLI_USAGE",
    "The prompt is empty. Write it after `acumen run`, or pipe it in. Try `acumen run --help`.",
  );
}
