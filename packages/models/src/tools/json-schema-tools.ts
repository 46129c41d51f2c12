import { isJsonObject } from "@acumen/core";
import { asOneObject } from "./object-root.ts";
import { listOf, mapSchemas, type SchemaNode, typesOf, without } from "./schema-node.ts";

/** For the services that take JSON Schema 2020-12 apart from unions at the root: that of Claude, and those behind Bedrock. */
export function anthropicSchema(schema: SchemaNode): SchemaNode {
  return objectType(asOneObject(mapSchemas(schema, withPrefixItems)));
}

/** For OpenAI and its imitations: an object with properties at the root, and items in every array. */
export function openAiSchema(schema: SchemaNode): SchemaNode {
  const root = objectType(asOneObject(mapSchemas(schema, withItems)));
  return isJsonObject(root["properties"]) ? root : { ...root, properties: {} };
}

function objectType(root: SchemaNode): SchemaNode {
  const types = typesOf(root);
  const isObject = types.length === 0 || (types.length > 1 && types.includes("object"));
  return isObject ? { ...root, type: "object" } : root;
}

/** The older form of a tuple, a list below `items`, is no valid schema in the draft that is judged by. */
function withPrefixItems(node: SchemaNode): SchemaNode {
  if (!Array.isArray(node["items"])) return node;
  const { items, additionalItems } = node;
  return {
    ...without(node, ["items", "additionalItems"]),
    ...(listOf(items).length > 0 && { prefixItems: items }),
    ...(additionalItems !== undefined && { items: additionalItems }),
  };
}

function withItems(node: SchemaNode): SchemaNode {
  const known = withPrefixItems(node);
  return typesOf(known).includes("array") && known["items"] === undefined
    ? { ...known, items: {} }
    : known;
}
