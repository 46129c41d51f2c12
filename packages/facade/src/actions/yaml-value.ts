import { type Document, isScalar, parseDocument, visit } from "yaml";

/** More are an attack: each may stand for much. */
const MAX_ALIASES = 50;

/**
 * What a YAML text stands for: plain values, no tags of programs, no key twice, nothing that contains itself.
 * @param fault makes the error that is thrown of the end of a sentence about the text
 */
export function yamlValue(text: string, fault: (what: string) => Error): unknown {
  // Keys are compared below: each with all others would take minutes.
  const document = parseDocument(text, { uniqueKeys: false, version: "1.2" });
  const [broken = document.warnings[0]] = document.errors;
  if (broken !== undefined) {
    throw fault(`its front matter is no YAML (${broken.message.split("\n")[0] ?? ""})`);
  }
  const wrong = wrongKey(document);
  if (wrong !== undefined) throw fault(`its front matter is no YAML (${wrong})`);
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    // What contains itself can be written nowhere.
    JSON.stringify(value);
    return value;
  } catch {
    throw fault("its front matter has too many aliases, or one that contains itself");
  }
}

function wrongKey(document: Document): string | undefined {
  let wrong: string | undefined;
  visit(document, {
    Map(_place, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined) wrong = "a key is no text";
        else if (name === "__proto__") wrong = "__proto__ is no key";
        else if (seen.has(name)) wrong = `the key ${JSON.stringify(name)} stands there twice`;
        if (wrong !== undefined || name === undefined) return visit.BREAK;
        seen.add(name);
      }
      return undefined;
    },
  });
  return wrong;
}
