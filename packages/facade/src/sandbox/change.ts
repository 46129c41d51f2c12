/** How one path differs between base and attempt. */
export interface Change {
  readonly path: string;
  /** Of a rename. */
  readonly old_path: string | null;
  readonly op: "add" | "modify" | "delete" | "rename" | "mode";
  /** Null for a binary file. */
  readonly insertions: number | null;
  readonly deletions: number | null;
  readonly binary: boolean;
  /** `100644`, `100755`, `120000` (link), `160000` (submodule); null where there is no file. */
  readonly old_mode: string | null;
  readonly new_mode: string | null;
  /** What a reviewer should know: a pointer of LFS, a submodule, a link that leaves the project. */
  readonly note: string | null;
}

export interface ChangeStats {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

export interface Conflict {
  readonly path: string;
  readonly kind: "content" | "delete_modify" | "rename" | "binary" | "mode" | "submodule" | "dirty";
  /** Object ids; null where that side has no file. */
  readonly base: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}
