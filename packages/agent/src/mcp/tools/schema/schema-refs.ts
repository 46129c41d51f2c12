import { isJsonObject } from "@acumen/core";
import type { Schema } from "./copy-schema.ts";

/** Keywords whose values are data and no schemas. */
const DATA = new Set(["enum", "const", "default", "examples", "example"]);

export type FoundRef =
  | { readonly found: unknown; readonly fault?: never }
  /** Somewhere else: never looked up. `missing`: not here, where it should be. */
  | { readonly found?: never; readonly fault: "remote" | "missing" };

/** What references within one schema lead to. */
export class SchemaRefs {
  readonly #root: Schema;
  readonly #rootId: string;
  /** By `#anchor`, and by identifier without its fragment. */
  readonly #named = new Map<string, Schema>();
  readonly #embedded: Schema[] = [];

  constructor(root: Schema) {
    this.#root = root;
    this.#rootId = idOf(root) ?? "";
    this.#index(root);
  }

  resolve(ref: string): FoundRef {
    const hash = ref.indexOf("#");
    const base = hash === -1 ? ref : ref.slice(0, hash);
    const fragment = hash === -1 ? "" : ref.slice(hash + 1);
    if (base === "") return this.#within(fragment);
    const document = this.#named.get(base) ?? this.#named.get(this.#absolute(base));
    if (document === undefined) return { fault: "remote" };
    return this.#part(document, fragment) ?? { fault: "missing" };
  }

  #within(fragment: string): FoundRef {
    for (const document of [this.#root, ...this.#embedded]) {
      const part = this.#part(document, fragment);
      if (part !== undefined) return part;
    }
    return { fault: "missing" };
  }

  #part(document: Schema, fragment: string): FoundRef | undefined {
    if (fragment === "") return { found: document };
    if (!fragment.startsWith("/")) {
      const found = this.#named.get(`#${fragment}`);
      return found && { found };
    }
    let part: unknown = document;
    for (const token of fragment.slice(1).split("/")) {
      const key = unescapeToken(token);
      if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
      part = (part as Record<string, unknown>)[key];
    }
    return { found: part };
  }

  #index(node: unknown): void {
    if (Array.isArray(node)) for (const item of node) this.#index(item);
    if (!isJsonObject(node)) return;
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = node[keyword];
      if (typeof anchor === "string") this.#name(`#${anchor}`, node);
    }
    const id = idOf(node);
    if (id !== undefined) {
      const base = id.replace(/#$/, "");
      this.#name(base, node);
      if (!base.startsWith("#")) this.#name(this.#absolute(base), node);
      if (node !== this.#root) this.#embedded.push(node);
    }
    for (const [key, value] of Object.entries(node)) if (!DATA.has(key)) this.#index(value);
  }

  #name(name: string, node: Schema): void {
    if (!this.#named.has(name)) this.#named.set(name, node);
  }

  #absolute(id: string): string {
    return URL.canParse(id, this.#rootId || undefined)
      ? new URL(id, this.#rootId || undefined).href
      : id;
  }
}

/** `id` is the word of draft-04; a property of this name is no string. */
function idOf(node: Schema): string | undefined {
  const id = node["$id"] ?? node["id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

function unescapeToken(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {
    // It is written as it is.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
