const BLOCK = /^<!-- generated:([a-z-]+) -->\n(?:([\s\S]*?)\n)?<!-- \/generated:\1 -->$/gm;
const MARK = /<!-- \/?generated:([a-z-]+) -->/g;

export interface FilledPage {
  readonly text: string;
  /** Names of the blocks that the page holds, in order. */
  readonly blocks: readonly string[];
}

/**
 * Replaces what stands between `<!-- generated:NAME -->` and `<!-- /generated:NAME -->`; the rest of the page is
 * hand-written and stays as it is. Throws for a block without its end mark or of an unknown name.
 */
export function fillBlocks(
  page: string,
  contents: Readonly<Record<string, () => string>>,
): FilledPage {
  const blocks: string[] = [];
  const text = page.replaceAll(BLOCK, (_whole, name: string) => {
    const render = contents[name];
    if (render === undefined) {
      throw new Error(
        `unknown generated block "${name}"; there are ${Object.keys(contents).join(", ")}`,
      );
    }
    blocks.push(name);
    return `<!-- generated:${name} -->\n${render().trim()}\n<!-- /generated:${name} -->`;
  });
  const marks = [...page.matchAll(MARK)].length;
  if (marks !== 2 * blocks.length) {
    throw new Error(
      `a generated block lacks its start or end mark (each on a line of its own): ${marks} marks, ${blocks.length} whole blocks`,
    );
  }
  return { text, blocks };
}
