import { pick, type SchemaNode, typesOf, valuesText, withNote } from "./schema-node.ts";

/**
 * A node that lists its values: texts stay a list, which is all that the service takes; of others the type stays, and the
 * description tells them. Undefined for a node without a list.
 */
export function googleValues(node: SchemaNode): SchemaNode | undefined {
  const listed = node["const"] === undefined ? node["enum"] : [node["const"]];
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  const values = (listed as unknown[]).filter((value) => value !== null);
  const isNullable =
    values.length < listed.length || typesOf(node).includes("null") || node["nullable"] === true;
  const about = pick(node, ["description"]);
  if (values.length === 0) return { ...about, type: "null" };
  const kinds = [...new Set(values.map(kindOf))];
  if (kinds.length === 1 && kinds[0] === "string" && !values.includes("")) {
    return { ...about, type: isNullable ? ["string", "null"] : "string", enum: values };
  }
  return told(withNote(about, `One of: ${valuesText(values)}`), kinds, isNullable);
}

function told(about: SchemaNode, kinds: readonly string[], isNullable: boolean): SchemaNode {
  const nodes = kinds
    // A whole number is a number.
    .filter((kind) => kind !== "integer" || !kinds.includes("number"))
    .map((kind): SchemaNode => (kind === "array" ? { type: kind, items: FREE } : { type: kind }));
  const [first = {}, ...others] = nodes;
  const head = { ...first, ...about, ...(isNullable && { type: [first["type"], "null"] }) };
  return others.length === 0 ? head : { anyOf: [head, ...others] };
}

const FREE: SchemaNode = { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] };

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
