/** No more lines are compared. */
const MAX_COMPARED = 50_000;
const MAX_SHOWN = 160;

/** Where a text that was not found may have been meant, as a sentence for the model. */
export function nearestLines(text: string, wanted: string, from = 0): string {
  const lines = text.split("\n").slice(0, MAX_COMPARED);
  const sought = wanted.split("\n");
  const spaceless = sought.map(withoutSpace);
  const near = bestPlace(lines, spaceless, from);
  if (near === undefined) return "Nothing similar is there; read the file again.";
  const { at, equal } = near;
  if (equal === sought.length && equal > 0)
    return `Line ${at + 1} differs only in spaces or tabs: ${quote(lines[at])}.`;
  const off = sought.findIndex((_line, index) => lines[at + index] !== sought[index]);
  const there = at + Math.max(off, 0);
  return `The nearest match is at line ${at + 1}; line ${there + 1} is ${quote(lines[there])} where ${quote(sought[off])} was expected.`;
}

/** The place where most lines are equal but for space; else the line that has most in common with the first. */
function bestPlace(
  lines: readonly string[],
  sought: readonly string[],
  from: number,
): { readonly at: number; readonly equal: number } | undefined {
  const own = lines.map(withoutSpace);
  const places = new Map<number, number>();
  const wantedAt = new Map<string, number[]>();
  for (const [index, line] of sought.slice(0, 200).entries())
    if (line !== "") wantedAt.set(line, [...(wantedAt.get(line) ?? []), index]);
  for (const [index, line] of own.entries())
    for (const offset of wantedAt.get(line) ?? [])
      if (index - offset >= from) places.set(index - offset, (places.get(index - offset) ?? 0) + 1);
  const [best] = [...places].toSorted(([, a], [, b]) => b - a);
  if (best !== undefined) {
    const [at] = best;
    return { at, equal: sought.filter((line, index) => own[at + index] === line).length };
  }
  return mostAlike(own, sought.find((line) => line !== "") ?? "", from);
}

function mostAlike(
  lines: readonly string[],
  wanted: string,
  from: number,
): { readonly at: number; readonly equal: number } | undefined {
  const pairs = pairsOf(wanted);
  let best: { at: number; equal: number } | undefined;
  let most = 0.4;
  for (const [at, line] of lines.entries()) {
    if (at < from || line === "") continue;
    const others = pairsOf(line);
    let common = 0;
    for (const pair of pairs) if (others.has(pair)) common += 1;
    const share = (2 * common) / (pairs.size + others.size || 1);
    if (share > most) {
      most = share;
      best = { at, equal: 0 };
    }
  }
  return best;
}

function pairsOf(line: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  const short = line.slice(0, 200);
  for (let at = 0; at + 1 < short.length; at += 1) pairs.add(short.slice(at, at + 2));
  return pairs;
}

function withoutSpace(line: string): string {
  return line.replaceAll(/\s+/g, "");
}

function quote(line: string | undefined): string {
  if (line === undefined) return "behind the end of the file";
  return JSON.stringify(line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line);
}
