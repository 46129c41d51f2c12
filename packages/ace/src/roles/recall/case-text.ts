import { stripUnsafe } from "../../text/sanitise.ts";
import { findFocus } from "./focus.ts";

/**
 * Most characters of a case. A lesson must fit its answer beside it in 2,000, and a prompt of 4,000 tokens should hold a score of
 * lessons; what lies further from the focus than this adds nothing to the accuracy (measured on the FiNER learning questions).
 */
export const CASE_CHARS = 700;
const GAP = " … ";
const CONTEXT_LINE = "\nContext: ";
/** Most of a case that the context may take when both texts are long. */
const CONTEXT_SHARE = 0.4;

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The shortened form of a task under which recall stores and looks up its lessons: the question, and a line `Context: …` if there is a
 * context. Longer texts keep what surrounds the focus (a quotation that occurs again in the text, see {@link findFocus}), else their
 * beginning and end; what was left out shows as `…`. Equal tasks give equal cases.
 */
export function caseText(question: string, context = ""): string {
  const asked = squeeze(question);
  const given = squeeze(context);
  const givenChars = Math.min(
    given.length,
    Math.max(Math.floor(CASE_CHARS * CONTEXT_SHARE), CASE_CHARS - asked.length),
  );
  const anchors = focusSpans(`${asked}\n${given}`);
  const contextStart = asked.length + 1;
  const shortAsked = shorten(asked, CASE_CHARS - givenChars, within(anchors, 0, asked.length));
  if (given === "") return shortAsked;
  const contextAnchors = within(anchors, contextStart, contextStart + given.length);
  return `${shortAsked}${CONTEXT_LINE}${shorten(given, givenChars, contextAnchors)}`;
}

/** Takes a case apart again. */
export function splitCase(text: string): { readonly question: string; readonly context: string } {
  const at = text.indexOf(CONTEXT_LINE);
  if (at < 0) return { question: text, context: "" };
  return { question: text.slice(0, at), context: text.slice(at + CONTEXT_LINE.length) };
}

function squeeze(text: string): string {
  return stripUnsafe(text).replace(/\s+/gu, " ").trim();
}

function focusSpans(text: string): Span[] {
  const focus = findFocus(text);
  if (focus === undefined) return [];
  const length = focus.span.length;
  const places = focus.places.slice(0, 2).map((start) => ({ start, end: start + length }));
  return [{ start: focus.start, end: focus.end }, ...places];
}

function within(spans: readonly Span[], from: number, to: number): Span[] {
  return spans
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ start, end }) => ({ start: start - from, end: end - from }));
}

function shorten(text: string, budget: number, anchors: readonly Span[]): string {
  if (text.length <= budget) return text;
  const kept = anchors.length > 0 ? anchors : [head(text), tail(text)];
  const fixed = kept.reduce((sum, { start, end }) => sum + end - start + 2 * GAP.length, 0);
  const reach = Math.max(0, Math.floor((budget - fixed) / (2 * kept.length)));
  const windows = kept
    .map((anchor) => wholeWords(text, anchor, reach))
    .toSorted((a, b) => a.start - b.start);
  let short = "";
  let last = 0;
  for (const { start, end } of windows) {
    const from = Math.max(start, last);
    if (from >= end) continue;
    if (from > last) short += GAP;
    short += text.slice(from, end);
    last = end;
  }
  if (last < text.length) short += GAP;
  return short.trim();
}

function head(_text: string): Span {
  return { start: 0, end: 0 };
}

function tail(text: string): Span {
  return { start: text.length, end: text.length };
}

/** Widens an anchor by so many characters on each side, back to the next word end, so that no half word becomes a feature. */
function wholeWords(text: string, anchor: Span, reach: number): Span {
  let start = Math.max(0, anchor.start - reach);
  let end = Math.min(text.length, anchor.end + reach);
  if (start > 0) {
    const space = text.indexOf(" ", start);
    if (space >= 0 && space < anchor.start) start = space + 1;
    else if (isLowSurrogate(text, start)) start++;
  }
  if (end < text.length) {
    const space = text.lastIndexOf(" ", end);
    if (space >= anchor.end && space > start) end = space;
    else if (isLowSurrogate(text, end)) end--;
  }
  return { start, end };
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
