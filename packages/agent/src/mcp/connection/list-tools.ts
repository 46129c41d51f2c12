import { isJsonObject } from "@acumen/core";
import { nestsDeeper } from "../transports/nests-deeper.ts";
import { rpcError, type Unanswered } from "./describe-answer.ts";
import { errorFacts } from "./error-facts.ts";
import { type ListAnswer, type ListedTool, TOOL_FAULT } from "./mcp-connection.ts";
import type { RawAnswer, RawRequests } from "./raw-requests.ts";

const MAX_PAGES = 64;
const MAX_TOOLS = 4_096;
/** Of all pages together, written as JSON: UTF-16 units. */
const MAX_LIST_CHARS = 16 * 1024 * 1024;

/** Of one entry. */
const MAX_DEPTH = 200;

const METHOD_NOT_FOUND = -32_601;

/** One page, or the answer that ends the list. */
type Page = { readonly entries: readonly unknown[]; readonly next: Cursor } | ListAnswer;
/** There are servers that count pages with numbers. */
type Cursor = string | number | undefined;

/**
 * All pages, whatever the server declared. A cursor that comes again, a page that comes again, and pages without end stop the list;
 * what was read until then counts.
 * @param described says what became of a request that has no result
 * @throws the abort's error
 */
export async function listTools(
  requests: RawRequests,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  described: (answer: Unanswered) => string,
): Promise<ListAnswer> {
  const list = new ToolList();
  const seen = new Set<Cursor>();
  let cursor: Cursor;
  for (let number = 1; number <= MAX_PAGES; number += 1) {
    const answer = await requests.request("tools/list", pageParams(cursor), options);
    const page = readPage(answer, number, described);
    if ("ok" in page) return page;
    const { next } = page;
    if (!list.add(page.entries) || next === undefined || seen.has(next)) return list.answer();
    seen.add(next);
    cursor = next;
  }
  list.cut(`more than ${MAX_PAGES} pages`);
  return list.answer();
}

function pageParams(cursor: Cursor): Readonly<Record<string, unknown>> {
  return cursor === undefined ? {} : { cursor };
}

function readPage(
  answer: RawAnswer,
  number: number,
  described: (answer: Unanswered) => string,
): Page {
  if (answer.kind !== "result") {
    if (number === 1 && isMethodUnknown(answer)) return { ok: true, tools: [] };
    return { ok: false, message: described(answer) };
  }
  const { result } = answer;
  const entries = isJsonObject(result) ? result["tools"] : undefined;
  if (!isJsonObject(result) || !Array.isArray(entries)) {
    return {
      ok: false,
      message: `Page ${number} of its list of tools holds no array \`tools\`.`,
    };
  }
  const next = result["nextCursor"];
  return {
    entries,
    next: typeof next === "string" || typeof next === "number" ? next : undefined,
  };
}

/** A server without tools need not know the method. */
function isMethodUnknown(answer: Unanswered): boolean {
  if (answer.kind === "error") return answer.code === METHOD_NOT_FOUND;
  if (answer.kind !== "failed") return false;
  return rpcError(errorFacts(answer.error).body)?.code === METHOD_NOT_FOUND;
}

/** Of a tool that is nested too deeply for anything that could be done with it, only its name is left. */
function shallow(entry: unknown): unknown {
  if (!isJsonObject(entry) || !nestsDeeper(entry, MAX_DEPTH)) return entry;
  const { name } = entry;
  const fault = `Its definition nests deeper than ${MAX_DEPTH} levels.`;
  return { ...(typeof name === "string" && { name }), [TOOL_FAULT]: fault };
}

/** What was read so far, within the limits. */
class ToolList {
  readonly #tools: ListedTool[] = [];
  readonly #pages = new Set<string>();
  #dropped = 0;
  #chars = 0;
  #incomplete: string | undefined;

  /** False: it ends here. */
  add(found: readonly unknown[]): boolean {
    const entries = found.map(shallow);
    const text = JSON.stringify(entries.filter(isJsonObject));
    // An empty page may come again: the next one may hold something.
    if (entries.length > 0 && this.#pages.has(text)) return false;
    this.#chars += text.length;
    if (this.#chars > MAX_LIST_CHARS) return this.cut(`more than ${MAX_LIST_CHARS} characters`);
    this.#pages.add(text);
    for (const entry of entries) {
      if (!isJsonObject(entry)) this.#dropped += 1;
      else if (this.#tools.length >= MAX_TOOLS) return this.cut(`more than ${MAX_TOOLS} tools`);
      else this.#tools.push(entry);
    }
    return true;
  }

  cut(why: string): false {
    this.#incomplete = `The list was cut: it has ${why}.`;
    return false;
  }

  answer(): ListAnswer {
    const left = `${this.#dropped} entries of the list are no tools and are left out.`;
    const said = [this.#incomplete, ...(this.#dropped > 0 ? [left] : [])].filter(
      (sentence) => sentence !== undefined,
    );
    return {
      ok: true,
      tools: this.#tools,
      ...(said.length > 0 && { incomplete: said.join(" ") }),
    };
  }
}
