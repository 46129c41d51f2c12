import { z } from "zod";

/**
 * Fields of the JSON that a model writes. Only what JSON Schema calls a type is told to the service: the constrained modes of the
 * providers refuse lengths and ranges, each another one. What a model leaves out or sets to null is empty.
 */
export function optionalText(): z.ZodType<string, string | null | undefined> {
  return z
    .string()
    .nullish()
    .transform((text) => text ?? "");
}

/** Goes back to the model when it is blank. */
export function filledText(): z.ZodType<string, string> {
  return z.string().refine((text) => text.trim() !== "", { error: "must not be blank" });
}

export function optionalList<Item extends z.ZodType>(
  item: Item,
): z.ZodType<z.output<Item>[], readonly z.input<Item>[] | null | undefined> {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

/** Lists and prompts show ids in brackets too, and some models copy those. */
export function bareId(text: string): string {
  return text
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
    .trim();
}
