import { isJsonObject } from "@acumen/core";
import type { Redactor } from "../../../redaction/redactor.ts";
import { magicOf } from "../../../workspace/magic-bytes.ts";
import { cleanServerName, cleanServerText } from "../clean-server-text.ts";

/** One piece of a result, read from what the server wrote. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "image" | "audio" | "blob"; readonly uri?: string } & Media)
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mimeType?: string;
      readonly text: string;
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly size?: number;
    };

interface Media {
  readonly mimeType: string;
  /** Base64 that can be decoded. */
  readonly data: string;
}

const MAX_URI_BYTES = 2048;
const MAX_TITLE_BYTES = 200;
const MAX_DESCRIPTION_BYTES = 1024;
const MAX_TYPE_BYTES = 100;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const UNKNOWN_TYPE = "application/octet-stream";

/**
 * The pieces in their order; null where a field should be is no field. What is none of a known kind becomes a line of text. Texts that are cut lose
 * their secrets before; whole ones keep them.
 */
export function contentParts(content: unknown, redact: Redactor): readonly ContentPart[] {
  const blocks: readonly unknown[] = Array.isArray(content)
    ? content
    : content === undefined || content === null
      ? []
      : [content];
  return blocks.map((block) => partOf(block, redact));
}

/** Without what breaks files and requests: NUL, and halves of characters. */
export function cleanText(text: string): string {
  return text.replaceAll("\0", "").replace(/\p{Cs}/gu, "\uFFFD");
}

function partOf(block: unknown, redact: Redactor): ContentPart {
  if (typeof block === "string") return textPart(cleanText(block));
  if (!isJsonObject(block)) return unsupported(block === null ? "null" : typeof block, redact);
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string"
        ? textPart(cleanText(block["text"]))
        : note("text", "it has no text");
    case "image":
    case "audio":
      return mediaPart(block["type"], { data: block["data"], mimeType: block["mimeType"] }, redact);
    case "resource":
      return resourcePart(block["resource"], redact);
    case "resource_link":
      return linkPart(block, redact);
    default:
      return unsupported(block["type"], redact);
  }
}

function textPart(text: string): ContentPart {
  return { type: "text", text };
}

function unsupported(type: unknown, redact: Redactor): ContentPart {
  const name = typeof type === "string" ? cleanServerName(type, undefined, redact) : "unknown";
  return textPart(`[unsupported block: ${name || "unknown"}]`);
}

function note(kind: string, fault: string): ContentPart {
  return textPart(`[${kind} that cannot be used: ${fault}]`);
}

function mediaPart(
  type: "image" | "audio" | "blob",
  { data: raw, mimeType: rawType }: { readonly data: unknown; readonly mimeType: unknown },
  redact: Redactor,
  uri?: string,
): ContentPart {
  const kind = type === "blob" ? "data" : type;
  const said = short(rawType, MAX_TYPE_BYTES, redact) ?? "";
  const typed = said === "" ? kind : `${kind} of type ${said}`;
  if (typeof raw !== "string" || raw === "") return note(typed, "it has no data");
  const data = base64Of(raw);
  if (data === undefined) return note(typed, "its data is no Base64");
  const mimeType = said || magicOf(Buffer.from(data.slice(0, 2000), "base64")) || UNKNOWN_TYPE;
  return {
    type,
    mimeType: mimeType.includes("/") ? mimeType : UNKNOWN_TYPE,
    data,
    ...(uri !== undefined && { uri }),
  };
}

/** In the form that services take, whichever alphabet and line breaks it was written with. Undefined: it is none. */
function base64Of(raw: string): string | undefined {
  const data = raw.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
  if (!BASE64.test(data)) return undefined;
  const bare = data.replace(/=+$/, "");
  if (bare === "" || bare.length % 4 === 1) return undefined;
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, "=");
}

function resourcePart(resource: unknown, redact: Redactor): ContentPart {
  if (!isJsonObject(resource)) return note("resource", "it has no content");
  const uri = short(resource["uri"], MAX_URI_BYTES, redact) ?? "";
  const mimeType = short(resource["mimeType"], MAX_TYPE_BYTES, redact);
  const { text, blob } = resource;
  if (typeof text === "string") {
    const content = cleanText(text);
    return { type: "resource", uri, ...(mimeType !== undefined && { mimeType }), text: content };
  }
  if (blob === undefined || blob === null) return note("resource", "it has no content");
  // Empty data is what an empty file is.
  if (blob === "") {
    return { type: "resource", uri, ...(mimeType !== undefined && { mimeType }), text: "" };
  }
  return mediaPart("blob", { data: blob, mimeType }, redact, uri);
}

function linkPart(block: Readonly<Record<string, unknown>>, redact: Redactor): ContentPart {
  const uri = short(block["uri"], MAX_URI_BYTES, redact);
  if (uri === undefined) return note("resource_link", "it has no uri");
  const title = short(block["title"], MAX_TITLE_BYTES, redact);
  const description =
    typeof block["description"] === "string"
      ? cleanServerText(block["description"], MAX_DESCRIPTION_BYTES, redact)
      : "";
  const mimeType = short(block["mimeType"], MAX_TYPE_BYTES, redact);
  const { size } = block;
  return {
    type: "resource_link",
    uri,
    name: short(block["name"], MAX_TITLE_BYTES, redact) ?? title ?? uri,
    ...(title !== undefined && { title }),
    ...(description !== "" && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(typeof size === "number" && Number.isFinite(size) && size >= 0 && { size }),
  };
}

function short(value: unknown, maxBytes: number, redact: Redactor): string | undefined {
  const text = typeof value === "string" ? cleanServerName(value, maxBytes, redact) : "";
  return text === "" ? undefined : text;
}
