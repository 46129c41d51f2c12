import type { BeforeImage } from "../../session/session-store.ts";
import type { ReadLedger } from "../../workspace/read-ledger.ts";
import type { FileOperations } from "../operations.ts";

export interface FileToolDeps {
  /** Where files are read and written before the disk. */
  readonly operations?: FileOperations;
  /** Keeps a file as it was, before it is changed; rejects to keep it from being changed. */
  readonly beforeWrite: (image: BeforeImage) => Promise<void>;
  /** Shared by the tools of a session. */
  readonly reads: ReadLedger;
  /** Takes secrets out of what is shown. */
  readonly redact: (text: string) => string;
}
