type Path = readonly (string | number)[];

interface Level {
  /** Null in a list. */
  readonly keys: Set<string> | null;
  at: string | number;
}

const COLON = 58;
const QUOTE = 34;
const BACKSLASH = 92;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;
const AFTER_KEY = /\s*:/y;

/** Members of all objects in a text that is JSON, those counted too that a later one of the same name replaces. */
export function writtenMembers(json: string): number {
  let count = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === COLON) count += 1;
    else if (code === QUOTE) index = endOfString(json, index);
  }
  return count;
}

function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, index: number): boolean {
  let first = index;
  while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}

/** Where a text that is JSON names a key of one object for the second time. */
export function repeatedKey(json: string): Path | undefined {
  const levels: Level[] = [];
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === "{") levels.push({ keys: new Set(), at: "" });
    else if (token === "[") levels.push({ keys: null, at: 0 });
    else if (token === "}" || token === "]") levels.pop();
    else if (token === ",") {
      if (typeof level?.at === "number") level.at += 1;
    } else if (level !== undefined && level.keys !== null && isKey(json, index + token.length)) {
      const key = JSON.parse(token) as string;
      level.at = key;
      if (level.keys.has(key)) return levels.map(({ at }) => at);
      level.keys.add(key);
    }
  }
  return undefined;
}

function isKey(json: string, after: number): boolean {
  AFTER_KEY.lastIndex = after;
  return AFTER_KEY.test(json);
}
