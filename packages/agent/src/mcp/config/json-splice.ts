import { createScanner, findNodeAtLocation, type Node, parseTree } from "jsonc-parser";

interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/*
 * Edits of a text of JSON with comments that leave every other character as it is. The texts were parsed without a fault before.
 */

/** Sets a property of the object at `path`; a new one becomes the last. Undefined: there is no object. */
export function withProperty(
  text: string,
  path: readonly string[],
  key: string,
  value: unknown,
): string | undefined {
  const object = nodeAt(text, path, "object");
  if (object === undefined) return undefined;
  const layout = layoutOf(text, object);
  const old = object.children?.find((child) => keyOf(child) === key)?.children?.[1];
  if (old !== undefined) {
    const start = old.offset;
    const rendered = render(value, indentAt(text, start), layout);
    return spliced(text, [{ start, end: start + old.length, text: rendered }]);
  }
  const rendered = `${JSON.stringify(key)}: ${render(value, layout.child, layout)}`;
  return spliced(text, insertion(text, object, rendered, layout));
}

/** Takes a property out of the object at `path`; comments around it stay. */
export function withoutProperty(text: string, path: readonly string[], key: string): string {
  const object = nodeAt(text, path, "object");
  const index = object?.children?.findIndex((child) => keyOf(child) === key) ?? -1;
  return object === undefined || index === -1 ? text : spliced(text, removal(text, object, index));
}

/** Adds a last item to the list at `path`. Undefined: there is no list. */
export function withItem(
  text: string,
  path: readonly string[],
  value: unknown,
): string | undefined {
  const list = nodeAt(text, path, "array");
  if (list === undefined) return undefined;
  const layout = layoutOf(text, list);
  return spliced(text, insertion(text, list, render(value, layout.child, layout), layout));
}

/** Takes every item that is exactly this text out of the list at `path`. */
export function withoutItems(text: string, path: readonly string[], item: string): string {
  let rest = text;
  for (;;) {
    const list = nodeAt(rest, path, "array");
    const index = list?.children?.findIndex(({ value }) => value === item) ?? -1;
    if (list === undefined || index === -1) return rest;
    rest = spliced(rest, removal(rest, list, index));
  }
}

interface Layout {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** Of the line that the container begins in, and of its children. */
  readonly base: string;
  readonly child: string;
}

function nodeAt(text: string, path: readonly string[], type: Node["type"]): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const node = root === undefined ? undefined : findNodeAtLocation(root, [...path]);
  return node?.type === type ? node : undefined;
}

function keyOf(property: Node): unknown {
  return property.children?.[0]?.value;
}

function layoutOf(text: string, container: Node): Layout {
  const base = indentAt(text, container.offset);
  const [own, top] = [container, rootOf(container)].map(({ children: [first] = [] }) =>
    first === undefined ? undefined : startOfLine(text, first.offset),
  );
  const unit = top === undefined || top === "" ? "  " : top;
  return {
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    unit,
    base,
    child: own ?? base + unit,
  };
}

/** The blanks before a place, when nothing else stands before it in its line. */
function startOfLine(text: string, offset: number): string | undefined {
  const line = lineOf(text, offset);
  const before = text.slice(line, offset);
  return line > 0 && /^[ \t]*$/u.test(before) ? before : undefined;
}

/** The blanks that the line of a place begins with. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/u.exec(text.slice(lineOf(text, offset), offset))?.[0] ?? "";
}

function lineOf(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

function rootOf(node: Node): Node {
  return node.parent === undefined ? node : rootOf(node.parent);
}

function render(value: unknown, indent: string, { eol, unit }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
}

function insertion(text: string, container: Node, child: string, layout: Layout): Splice[] {
  const close = container.offset + container.length - 1;
  const inside = text.slice(container.offset + 1, close);
  const end = container.offset + 1 + inside.trimEnd().length;
  const tail = text.slice(end, close);
  const last = container.children?.at(-1);
  const bare = last !== undefined && commaIn(text, endOf(last), close) === undefined;
  const [comma, lead] = bare && endOf(last) === end ? ["", ","] : [bare ? "," : "", ""];
  const splices: Splice[] = [];
  if (last !== undefined) splices.push({ start: endOf(last), end: endOf(last), text: comma });
  if (last !== undefined && !inside.includes("\n") && !child.includes("\n")) {
    return [...splices, { start: end, end: close, text: `${lead} ${child}${tail}` }];
  }
  const closing = tail.includes("\n") ? tail.slice(tail.lastIndexOf("\n") + 1) : layout.base;
  const added = `${lead}${layout.eol}${layout.child}${child}${layout.eol}${closing}`;
  return [...splices, { start: end, end: close, text: added }];
}

/** The child and one comma: the one behind it, else the one before it. */
function removal(text: string, container: Node, index: number): Splice[] {
  const children = container.children ?? [];
  const child = children[index];
  if (child === undefined) return [];
  const next = children[index + 1];
  const limit = next?.offset ?? container.offset + container.length - 1;
  const behind = commaIn(text, endOf(child), limit);
  const previous = children[index - 1];
  const comma =
    behind ?? (previous === undefined ? undefined : commaIn(text, endOf(previous), child.offset));
  const whole = behind === endOf(child) ? behind + 1 : endOf(child);
  const splices: Splice[] = [withItsLine(text, child.offset, whole)];
  if (comma !== undefined && (comma < child.offset || comma >= whole)) {
    splices.push({ start: comma, end: comma + 1, text: "" });
  }
  return splices;
}

/** Wider when nothing else stands in the lines: blanks before it, and the line break. */
function withItsLine(text: string, start: number, end: number): Splice {
  const indent = startOfLine(text, start);
  const rest = /^[ \t]*(?=\r?\n)/u.exec(text.slice(end))?.[0];
  if (indent !== undefined && rest !== undefined) {
    const lineBreak = text[start - indent.length - 2] === "\r" ? 2 : 1;
    return { start: start - indent.length - lineBreak, end: end + rest.length, text: "" };
  }
  const behind = /^[ \t]*/u.exec(text.slice(end))?.[0] ?? "";
  const before = /[ \t]*$/u.exec(text.slice(0, start))?.[0] ?? "";
  return text[end - 1] === ","
    ? { start, end: end + behind.length, text: "" }
    : { start: start - before.length, end, text: "" };
}

/** Where a comma stands between two places, comments aside. */
function commaIn(text: string, start: number, end: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(start);
  while (scanner.getPosition() < end) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= end || scanner.getTokenLength() === 0) return undefined;
    if (text[offset] === ",") return offset;
  }
  return undefined;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function spliced(text: string, splices: readonly Splice[]): string {
  return splices
    .toSorted((one, other) => other.start - one.start)
    .reduce((all, { start, end, text: put }) => all.slice(0, start) + put + all.slice(end), text);
}
