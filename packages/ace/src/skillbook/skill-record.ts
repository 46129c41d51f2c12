import { isJsonObject } from "@acumen/core";
import { cleanLine, cleanText, cutText, isTooLong } from "./clean-text.ts";
import { type ForeignFormat, fileSource, fromVersion2 } from "./migrate.ts";
import { type Skill, type SkillStatus, type SkillTag } from "./skill.ts";
import { parseSources } from "./source-record.ts";
import { readTimestamp } from "./timestamp.ts";

/** `duplicate`: the file holds the same record twice. */
export type LoadSkipReason = "not_an_object" | "no_content" | "too_long" | "duplicate";

/** A skill of a file, whose id still has to be checked against the others. */
export interface ReadSkill {
  readonly skill: Skill;
  /** Id inside the record, else the map key; empty when neither is a text. */
  readonly wantedId: string;
  readonly repairs: readonly Repair[];
}

interface Repair {
  readonly field: string;
  readonly message: string;
}

export type SkillRead = ReadSkill | { readonly reason: LoadSkipReason; readonly message: string };

const SECTION_CHARS = 200;
const NO_REPAIRS: readonly Repair[] = [];

/** Reads one record of a file as far as possible; only a record without usable content is refused. */
export function readSkill(
  key: string | undefined,
  value: unknown,
  now: string,
  format: ForeignFormat | null,
): SkillRead {
  if (!isJsonObject(value)) {
    return { reason: "not_an_object", message: "The record is not a JSON object." };
  }
  const reader = new RecordReader(format === "ace-v2" ? fromVersion2(value) : value);
  const content = reader.content();
  if (typeof content !== "string") return content;
  const wantedId = reader.id(key);
  const createdAt = reader.date("created_at") ?? now;
  // Most skills were never changed; reading a date takes a tenth of the time of a record.
  const unchanged = createdAt === reader.raw("updated_at");
  const embedding = reader.embedding();
  // One literal without spreads: these are made by the ten thousand, and spreads take three times as long.
  const skill: Skill = {
    id: wantedId,
    section: reader.section(),
    content,
    justification: reader.text("justification"),
    evidence: reader.text("evidence"),
    helpful: reader.counter("helpful"),
    harmful: reader.counter("harmful"),
    neutral: reader.counter("neutral"),
    createdAt,
    updatedAt: unchanged ? createdAt : (reader.date("updated_at") ?? createdAt),
    status: reader.status(),
    sources: reader.sources(format),
  };
  return {
    skill: embedding === undefined ? skill : { ...skill, embedding },
    wantedId,
    repairs: reader.repairs,
  };
}

class RecordReader {
  repairs: readonly Repair[] = NO_REPAIRS;
  readonly #record: Record<string, unknown>;

  constructor(record: Record<string, unknown>) {
    this.#record = record;
  }

  content(): string | { reason: LoadSkipReason; message: string } {
    const raw = this.#record["content"];
    const content = typeof raw === "string" ? cleanText(raw) : "";
    if (content === "") return { reason: "no_content", message: "The record has no content." };
    if (isTooLong(content)) {
      return {
        reason: "too_long",
        message: `The content has ${content.length} characters, more than a skill may have.`,
      };
    }
    if (typeof raw === "string" && content !== raw.trim()) {
      this.#repair("content", "Invisible or control characters were removed.");
    }
    return content;
  }

  id(key: string | undefined): string {
    const { id } = this.#record;
    if (typeof id !== "string" || id === "") {
      this.#repair("id", "The record has no id inside; its key is used.");
      return key ?? "";
    }
    if (key !== undefined && key !== id) {
      this.#repair(
        "id",
        `The key ${cutText(cleanLine(key), 128)} differs from the id inside, which wins.`,
      );
    }
    return id;
  }

  section(): string {
    const raw = this.#record["section"];
    const section = typeof raw === "string" ? cleanLine(raw) : "";
    if (section === "") this.#repair("section", "There is no section; it becomes general.");
    const cut = cutText(section, SECTION_CHARS);
    if (cut !== section) this.#repair("section", "The section was too long and is cut.");
    return cut || "general";
  }

  text(field: "justification" | "evidence"): string | null {
    const raw = this.#record[field];
    if (raw === undefined || raw === null || raw === "") return null;
    const text = typeof raw === "string" ? cleanText(raw) : "";
    if (text !== "" && !isTooLong(text)) return text;
    this.#repair(field, text === "" ? "It is not a text; dropped." : "It is too long; dropped.");
    return null;
  }

  counter(tag: SkillTag): number {
    const raw = this.#record[tag];
    if (raw === undefined || raw === null) return 0;
    const count = typeof raw === "number" && raw > 0 ? Math.trunc(raw) : 0;
    const usable = Math.min(count, Number.MAX_SAFE_INTEGER);
    if (usable !== raw) this.#repair(tag, "The counter is not a whole number >= 0.");
    return usable;
  }

  raw(field: "updated_at"): unknown {
    return this.#record[field];
  }

  date(field: "created_at" | "updated_at"): string | undefined {
    const raw = this.#record[field];
    const date = readTimestamp(raw);
    if (raw !== undefined && date !== raw) {
      this.#repair(field, date ? "The date had no offset; UTC is assumed." : "It is no date.");
    }
    return date;
  }

  status(): SkillStatus {
    const raw = this.#record["status"];
    if (raw === undefined || raw === null || raw === "active") return "active";
    // A status that is not known here must not bring a skill into prompts that its writer kept out of them.
    if (raw !== "invalid") this.#repair("status", "The status is unknown; the skill is inactive.");
    return "invalid";
  }

  sources(format: ForeignFormat | null): Skill["sources"] {
    const { sources, dropped } = parseSources(this.#record["sources"]);
    if (dropped > 0) this.#repair("sources", `${dropped} sources were no records or too many.`);
    if (format !== null && sources.length === 0) return parseSources(fileSource(format)).sources;
    return sources;
  }

  embedding(): unknown {
    return this.#record["embedding"] ?? undefined;
  }

  #repair(field: string, message: string): void {
    this.repairs = [...this.repairs, { field, message }];
  }
}
