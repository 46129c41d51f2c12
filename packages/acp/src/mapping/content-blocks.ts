import type { ContentBlock } from "@acumen/agent";
import type { ContentBlock as WireBlock } from "@agentclientprotocol/sdk";

/** A block of a host's prompt in the form that is stored. */
export function storedBlock(block: WireBlock): ContentBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: block.type, mime_type: block.mimeType, data: block.data };
    case "resource_link": {
      const { uri, name, title, description, mimeType, size } = block;
      return {
        type: "resource_link",
        uri,
        name,
        ...(isSaid(title) && { title }),
        ...(isSaid(description) && { description }),
        ...(isSaid(mimeType) && { mime_type: mimeType }),
        ...(isSaid(size) && { size: Number(size) }),
      };
    }
    case "resource": {
      const { uri, mimeType } = block.resource;
      const type = isSaid(mimeType) && { mime_type: mimeType };
      return "text" in block.resource
        ? { type: "resource", uri, ...type, text: block.resource.text }
        : { type: "resource", uri, ...type, blob: block.resource.blob };
    }
  }
}

/** A stored block in the form that hosts get. */
export function wireBlock(block: ContentBlock): WireBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: block.type, mimeType: block.mime_type, data: block.data };
    case "resource_link": {
      const { uri, name, title, description, mime_type: mimeType, size } = block;
      return {
        type: "resource_link",
        uri,
        name,
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(mimeType !== undefined && { mimeType }),
        ...(size !== undefined && { size }),
      };
    }
    case "resource": {
      const { uri, mime_type: mimeType, text = "", blob } = block;
      const type = mimeType !== undefined && { mimeType };
      return {
        type: "resource",
        resource: blob === undefined ? { uri, ...type, text } : { uri, ...type, blob },
      };
    }
    case "structured":
      return { type: "text", text: JSON.stringify(block.data ?? null, null, 2) };
  }
}

function isSaid<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
