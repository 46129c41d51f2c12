import { z } from "zod";

/** Text for people and models. */
const text = z.object({ type: z.literal("text"), text: z.string() });
/** `data` is Base64. */
const image = z.object({ type: z.literal("image"), mime_type: z.string(), data: z.string() });
const audio = z.object({ type: z.literal("audio"), mime_type: z.string(), data: z.string() });
/** Something that can be read elsewhere; its content is not here. */
const resourceLink = z.object({
  type: z.literal("resource_link"),
  uri: z.string(),
  name: z.string(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  mime_type: z.string().exactOptional(),
  /** Bytes. */
  size: z.number().exactOptional(),
});
/** An embedded document: text, or Base64 in `blob`. */
const resource = z.object({
  type: z.literal("resource"),
  uri: z.string(),
  mime_type: z.string().exactOptional(),
  text: z.string().exactOptional(),
  blob: z.string().exactOptional(),
});
/** JSON of a tool that answers in a structure. */
const structured = z.object({ type: z.literal("structured"), data: z.unknown() });

/** One typed piece of a prompt or of a tool's output, in the form that is stored and sent (snake_case). */
export const contentBlockSchema = z.discriminatedUnion("type", [
  text,
  image,
  audio,
  resourceLink,
  resource,
  structured,
]);

export type ContentBlock = z.output<typeof contentBlockSchema>;
export type TextBlock = z.output<typeof text>;

export function textBlock(content: string): TextBlock {
  return { type: "text", text: content };
}

/** The text blocks joined by line breaks; other kinds are left out. */
export function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
