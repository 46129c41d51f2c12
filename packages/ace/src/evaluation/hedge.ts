import type { AnswerText } from "./answer-words.ts";

const list = (words: string): string[] => words.trim().split(/\s+/);

const CONTRACTED = list("isnt wasnt arent werent aint cant cannot couldnt wont wouldnt shouldnt");
const NEGATIONS_BEFORE = new Set([
  ...CONTRACTED,
  ...list("not dont doesnt didnt never neither nor except without"),
]);
const NEGATIONS_BEHIND = new Set([...CONTRACTED, "not", "never"]);
/** "Instead of Paris" and the like, first word and second. */
const PAIRS_BEFORE = new Set([
  "rather than",
  "other than",
  "instead of",
  "anything but",
  "far from",
  "ruled out",
]);
/** Words between a negation and what it denies. */
const LINKERS = new Set(
  list(`a an the be been is was are were it in at on to this that really actually necessarily just exactly quite likely
    probably truly definitely clearly simply also think believe say called named`),
);
/** Between an answer and what denies it. */
const COPULAS = new Set(list("is was are were be been can could would will should may might must"));
const ADVERBS = new Set(
  list("a an the really actually definitely clearly certainly probably simply also plainly just"),
);
const DENIALS = new Set(list("wrong incorrect false untrue excluded"));
const UNFIT = new Set(list("fit match apply work hold answer count qualify"));
const CLAUSE_END = /[,;:.!?…\n—–]|\s-\s/;
/** Longest way from a negation to what it denies. */
const MOST_LINKERS = 6;

/** Whether the words from `start` up to `end` are denied in their clause, or one side of an "or". */
export function isHedged(answer: AnswerText, start: number, end: number): boolean {
  return (
    isAlternative(answer, start, end) ||
    isDeniedBefore(answer, start) ||
    isDeniedBehind(answer, end)
  );
}

function isDeniedBefore({ words, gaps }: AnswerText, start: number): boolean {
  for (let i = start - 1; i >= Math.max(0, start - MOST_LINKERS); i--) {
    if (CLAUSE_END.test(gaps[i + 1] ?? "")) return false;
    const word = words[i] ?? "";
    if (NEGATIONS_BEFORE.has(word)) return true;
    if (PAIRS_BEFORE.has(`${words[i - 1] ?? ""} ${word}`)) return true;
    if (!LINKERS.has(word)) return false;
  }
  return false;
}

function isDeniedBehind({ words, gaps }: AnswerText, end: number): boolean {
  let linked = false;
  for (let i = end; i < Math.min(words.length, end + MOST_LINKERS); i++) {
    if (CLAUSE_END.test(gaps[i] ?? "")) return false;
    const word = words[i] ?? "";
    const denied = isDenial(words, i, linked);
    if (denied !== undefined) return denied;
    if (COPULAS.has(word)) linked = true;
    else if (!ADVERBS.has(word)) return false;
  }
  return false;
}

/** Whether the words from `i` on deny what stands before; `undefined` when that is still open. */
function isDenial(words: readonly string[], i: number, linked: boolean): boolean | undefined {
  const [word = "", next = "", third = ""] = words.slice(i, i + 3);
  if (NEGATIONS_BEHIND.has(word)) {
    // "Paris not London" says Paris, and so does "Paris is not only the capital".
    return (linked || CONTRACTED.includes(word)) && !["only", "just", "merely"].includes(next);
  }
  if (word === "doesnt") return UNFIT.has(next);
  if (word === "does" && next === "not") return UNFIT.has(third);
  return linked && (DENIALS.has(word) || (word === "ruled" && next === "out")) ? true : undefined;
}

function isAlternative(answer: AnswerText, start: number, end: number): boolean {
  const { words } = answer;
  if (words[start - 1] === "or" || words[end] === "or") return true;
  if (words[end] === "and" && words[end + 1] === "or") return true;
  return separates(answer, start) || separates(answer, end);
}

const UNITS = new Set(
  list(`km m cm mm mi ft in h hr s sec ms min day week month year kg g mg ug lb l ml dl mol kb mb gb tb kbit mbit gbit bit
    byte b w kw kwh v hz mhz px req rpm person user`),
);
const FOLDERS = new Set(
  list(`src lib test tests docs doc bin etc usr home tmp var opt dist build packages app apps node_modules public assets
    http https`),
);

/** Whether the gap before `words[i]` is a slash or bar between two alternatives, and not inside a path, a unit or a fraction. */
function separates({ words, gaps }: AnswerText, i: number): boolean {
  const gap = gaps[i] ?? "";
  const [left, right] = [words[i - 1], words[i]];
  if (left === undefined || right === undefined || !/^\s*[/|]\s*$/.test(gap)) return false;
  if (/^-?\p{N}/u.test(left) || /^-?\p{N}/u.test(right)) return false;
  if (UNITS.has(left) && UNITS.has(right)) return false;
  if (gap.trim() === "|" || /^\s.*\s$/.test(gap)) return true;
  return !isInPath(words, gaps, i);
}

/** Whether the unspaced slash before `words[i]` stands in a path. */
function isInPath(words: readonly string[], gaps: readonly string[], i: number): boolean {
  const [left = "", right = ""] = [words[i - 1], words[i]];
  const [before = "", behind = ""] = [gaps[i - 1], gaps[i + 1]];
  const isChain = before === "/" && i > 1;
  if (!isChain && /(?:^|[\s"'`(])[.~]*\/$|[.~\\@]$/.test(before)) return true;
  if (/^\/(?:[\s,.]|$)/.test(behind) || (i + 1 < words.length && /^[.\\]$/.test(behind)))
    return true;
  if (FOLDERS.has(left) || `${left}/${right}` === "n/a") return true;
  // "src/a" against "A/B"
  return Math.min(left.length, right.length) === 1 && Math.max(left.length, right.length) > 2;
}
