import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** A place in a text; line and column count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

interface Fault extends TextPlace {
  readonly text: string;
}

type Path = readonly (string | number)[];

export type ParsedText =
  | { readonly fault: Fault }
  | { readonly value: unknown; readonly placeOf: (path: Path) => TextPlace };

/** As a key of an object it would set the prototype. */
const RESERVED = "__proto__";
/** Nodes of the tree on top of each other, of which an object in an object takes two. Far from where the stack ends. */
const MAX_DEPTH = 500;

const TOO_DEEP = { fault: { text: "nests too deep", line: 1, column: 1 } };

/**
 * Reads JSON with comments and trailing commas. What JSON leaves open is refused: a key that stands twice, of which one
 * value would be ignored, and `__proto__`, which would vanish.
 */
export function parseJsonWithComments(text: string): ParsedText {
  const errors: ParseError[] = [];
  let tree: Node | undefined;
  try {
    tree = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    // The parser calls itself for each level.
    if (!(error instanceof RangeError)) throw error;
    return TOO_DEEP;
  }
  const [error] = errors;
  if (error !== undefined) {
    const words = printParseErrorCode(error.error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ");
    return { fault: { text: words.toLowerCase(), ...placeAt(text, error.offset) } };
  }
  if (tree === undefined) return { fault: { text: "is empty", line: 1, column: 1 } };
  if (isDeeper(tree, MAX_DEPTH)) return TOO_DEEP;
  const key = badKey(tree);
  if (key !== undefined) {
    const words = key.value === RESERVED ? "cannot be a key" : "stands here a second time";
    return { fault: { text: `"${String(key.value)}" ${words}`, ...placeAt(text, key.offset) } };
  }
  const root = tree;
  return {
    value: valueOf(root),
    placeOf: (path) => placeAt(text, nodeAt(root, path)?.offset ?? 0),
  };
}

/** A property is looked up by its key, so that the place is the name's and not the value's. */
function nodeAt(root: Node, path: Path): Node | undefined {
  const node = findNodeAtLocation(root, [...path]);
  return node?.parent?.type === "property" ? node.parent : node;
}

function isDeeper(node: Node, levels: number): boolean {
  return levels === 0 || (node.children ?? []).some((child) => isDeeper(child, levels - 1));
}

function badKey(node: Node): Node | undefined {
  const seen = new Set<unknown>([RESERVED]);
  for (const child of node.children ?? []) {
    const key = child.type === "property" ? child.children?.[0] : undefined;
    if (key !== undefined && seen.has(key.value)) return key;
    seen.add(key?.value);
    const deeper = badKey(child);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function valueOf(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(valueOf);
  if (node.type !== "object") return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined || value === undefined ? [] : [[String(key.value), valueOf(value)]],
    ),
  );
}

function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
