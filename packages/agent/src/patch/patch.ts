/** A line of a hunk, without its mark. */
export interface HunkLine {
  readonly kind: "context" | "remove" | "add";
  readonly text: string;
}

/** One place of a file that changes. */
export interface Hunk {
  /** Lines above the place, outermost first; they narrow where the hunk is looked for. */
  readonly headings: readonly string[];
  readonly lines: readonly HunkLine[];
  /** The hunk reaches to the end of the file. */
  readonly endOfFile: boolean;
  /** Whether the file ends with a line end afterwards; absent: as before. */
  readonly finalNewline?: boolean;
}

export type FilePatch =
  | {
      readonly type: "add";
      readonly path: string;
      readonly lines: readonly string[];
      readonly finalNewline: boolean;
    }
  | {
      readonly type: "update";
      readonly path: string;
      readonly moveTo?: string;
      readonly hunks: readonly Hunk[];
    }
  | { readonly type: "delete"; readonly path: string };

export type Patch = readonly FilePatch[];

export const BEGIN_PATCH = "*** Begin Patch";
export const END_PATCH = "*** End Patch";
export const END_OF_FILE = "*** End of File";
export const NO_NEWLINE = "\\ No newline at end of file";
export const MARKS = { context: " ", remove: "-", add: "+" } as const;
