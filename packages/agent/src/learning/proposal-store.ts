import { AcumenError, isJsonObject, parseJson, readTextFile, writeFileAtomic } from "@acumen/core";
import { join } from "node:path";
import { agentError } from "../errors.ts";
import { EMPTY_PROPOSALS, type ProposalFile, proposalFileSchema } from "./proposal.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** `$ACUMEN_HOME/proposals.json`: what sessions have learned and nobody has decided on, apart from every skillbook. */
export class ProposalStore {
  readonly path: string;

  /** @param home `$ACUMEN_HOME`, absolute */
  constructor(home: string) {
    this.path = join(home, "proposals.json");
  }

  /** A missing file is empty. @throws AGENT_PROPOSALS_INVALID */
  async read(): Promise<ProposalFile> {
    let value: unknown;
    try {
      value = parseJson(await readTextFile(this.path, { maxBytes: MAX_BYTES }));
    } catch (error) {
      if (AcumenError.isInstance(error) && error.code === "CORE_FILE_NOT_FOUND") {
        return EMPTY_PROPOSALS;
      }
      throw this.#invalid(
        AcumenError.isInstance(error) ? error.message : "it cannot be read",
        error,
      );
    }
    if (isJsonObject(value) && typeof value["version"] === "number" && value["version"] > 1) {
      throw this.#invalid(`a newer version (${value["version"]}) of Acumen wrote it`);
    }
    const parsed = proposalFileSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw this.#invalid(
      `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "unreadable"}`,
    );
  }

  /** Only while the lock of {@link path} is held. */
  async write(file: ProposalFile): Promise<void> {
    await writeFileAtomic(this.path, `${JSON.stringify(file, null, 2)}\n`);
  }

  #invalid(reason: string, cause?: unknown): AcumenError {
    return agentError(
      "AGENT_PROPOSALS_INVALID",
      `The file of proposed skills ${this.path} cannot be used: ${reason.replace(/\.$/, "")}. Mend it or move it away.`,
      { cause, details: { path: this.path } },
    );
  }
}
