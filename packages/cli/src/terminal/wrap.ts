/**
 * Breaks one line of text between words, or inside a word that is longer than a line.
 * @returns lines of at most `width` characters, each starting with `indent`.
 */
export function wrap(text: string, width: number, indent = ""): string[] {
  const room = Math.max(10, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((one) => pieces(one, room))) {
    if (line && line.length + 1 + word.length > room) {
      lines.push(indent + line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  if (line) lines.push(indent + line);
  return lines;
}

function pieces(word: string, room: number): string[] {
  if (word.length <= room) return [word];
  const characters = Array.from(word);
  const parts: string[] = [];
  for (let at = 0; at < characters.length; at += room) {
    parts.push(characters.slice(at, at + room).join(""));
  }
  return parts;
}
