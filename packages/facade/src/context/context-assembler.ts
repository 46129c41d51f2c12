import { join } from "node:path";
import { createRedactor, openWorkspace, type Redactor, SkillShelf } from "@acumen/agent";
import { createId, throwIfAborted } from "@acumen/core";
import type { Caller } from "../access/caller.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { eventDraft } from "../events/event-draft.ts";
import type { GitCommand } from "../git/git-command.ts";
import {
  type AssembledContext,
  CONTEXT_SOURCES,
  type ContextFragment,
  type ContextInput,
  type ContextService,
  type ContextSource,
  type ContextView,
  type DroppedFragment,
} from "../services/context-service.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type { StoreChange } from "../store/facade-store.ts";
import { type Candidate, type Collected, formOf } from "./candidate.ts";
import { contextDigest } from "./context-digest.ts";
import { ContextRecords, type ContextRecordsOptions } from "./context-records.ts";
import { credentialsRule } from "./credential-files.ts";
import { diffFragments } from "./diff-fragments.ts";
import { type CollectedFiles, FileSource } from "./file-fragments.ts";
import { decisionFragments, instructionFragments, planFragments } from "./guide-fragments.ts";
import { historyFragments } from "./history-fragments.ts";
import { fragmentsOf } from "./ordered-fragments.ts";
import { compare, pack } from "./pack.ts";
import { ProjectReader } from "./project-reader.ts";
import { queryTerms } from "./query-terms.ts";
import { skillFragments } from "./skill-fragments.ts";
import { type Subject, subjectOf } from "./subject.ts";
import { TOKEN_COUNTER } from "./token-count.ts";
import { toolFragments } from "./tool-fragments.ts";
import { wellFormed } from "./well-formed.ts";

export interface ContextAssemblerOptions extends ContextRecordsOptions {
  /** The one way to write events. */
  readonly commit: (change: StoreChange) => Promise<unknown>;
  readonly projects: ProjectRegistry;
  readonly git: GitCommand;
  /** `$ACUMEN_HOME`, absolute: where the machine's skillbook lies. */
  readonly home: string;
  /** Default: texts that look like keys. */
  readonly redact?: Redactor;
}

const DEFAULT_BUDGET = 12_000;
const MOST_DROPPED = 200;
const MOST_DROPPED_EXPLAINED = 2_000;

/** Who plans needs no diff; who reviews needs neither tools nor skills. */
const SOURCES_OF: Readonly<Record<ContextView, readonly ContextSource[]>> = {
  strategist: ["instructions", "skills", "plan", "decisions", "files", "history", "tools"],
  executor: CONTEXT_SOURCES,
  reviewer: ["instructions", "plan", "decisions", "diff", "files", "history"],
};

interface Asked {
  readonly input: ContextInput;
  readonly subject: Subject;
  readonly view: ContextView;
  readonly sources: ReadonlySet<ContextSource>;
  readonly query: string;
  readonly limit: number;
  readonly reserved: number;
}

/** Puts together what a model should know, from what is there now. */
export class ContextAssembler implements ContextService {
  readonly #options: ContextAssemblerOptions;
  readonly #records: ContextRecords;
  readonly #shelf: SkillShelf;
  readonly #files: FileSource;
  readonly #redact: Redactor;

  constructor(options: ContextAssemblerOptions) {
    const { git, home, redact = createRedactor() } = options;
    this.#options = options;
    this.#records = new ContextRecords(options);
    this.#redact = redact;
    this.#shelf = new SkillShelf(home);
    this.#files = new FileSource({ git, home, redact });
  }

  async getContext(input: ContextInput, caller: Caller): Promise<AssembledContext> {
    const asked = await this.#asked(input, caller);
    const { limit, reserved, subject, sources, view } = asked;
    const collected = await this.#collect(asked, caller);
    const { candidates, files } = collected;
    checkPins(candidates, limit - reserved);
    const packed = pack(candidates, limit - reserved);
    const fragments = fragmentsOf(packed.chosen, input.explain === true);
    const dropped = [...collected.dropped, ...packed.left.map(overBudget)].toSorted(
      (a, b) => compare(a.uri, b.uri) || compare(a.reason, b.reason),
    );
    const shown = dropped.slice(0, input.explain === true ? MOST_DROPPED_EXPLAINED : MOST_DROPPED);
    const used = fragments.reduce((sum, { tokens }) => sum + tokens, 0);
    const warnings = [
      ...collected.warnings,
      ...(sources.has("files") ? emptyWarning(files, fragments, subject) : []),
      ...(shown.length < dropped.length
        ? [`${dropped.length - shown.length} more were left out than are listed.`]
        : []),
    ];
    throwIfAborted(caller.signal);
    await this.#tell(subject, caller, {
      fragments: fragments.length,
      used,
      dropped: dropped.length,
    });
    return {
      context_id: createId(),
      digest: contextDigest(parametersOf(asked), fragments, dropped),
      view,
      budget: {
        limit,
        reserved,
        used,
        remaining: limit - reserved - used,
        counter: TOKEN_COUNTER,
        estimated: true,
      },
      fragments,
      dropped: shown,
      warnings,
      truncated:
        shown.length < dropped.length || dropped.some(({ reason }) => reason === "over_budget"),
    };
  }

  /** @throws ResourceNotFoundError, ValidationError */
  async #asked(input: ContextInput, caller: Caller): Promise<Asked> {
    const { view = "executor", budget_tokens: limit = DEFAULT_BUDGET } = input;
    const { reserve_tokens: reserved = 0 } = input;
    if (reserved >= limit) {
      throw new ValidationError(
        `reserve_tokens is ${reserved}, which leaves nothing of ${limit} tokens; reserve less, or ask for more.`,
        [{ path: ["reserve_tokens"], message: `expected less than ${limit}` }],
      );
    }
    const { projects } = this.#options;
    const subject = await subjectOf(input, caller, { records: this.#records, projects });
    const query = input.query ?? subject.plan?.action?.prompt ?? subject.session?.title ?? "";
    const sources = new Set(input.sources ?? SOURCES_OF[view]);
    return { input, subject, view, sources, query, limit, reserved };
  }

  async #collect(asked: Asked, caller: Caller) {
    const { subject, query, input, sources, limit } = asked;
    const { project, plan } = subject;
    const { home } = this.#options;
    const { plans, tools } = this.#records;
    const of = async <T extends Collected>(source: ContextSource, get: () => T | Promise<T>) =>
      sources.has(source) ? get() : undefined;
    const workspace = await openWorkspace({ cwd: project.path, home });
    const isSecret = (path: string): boolean =>
      credentialsRule(path) !== undefined ||
      workspace.secretRule(join(project.path, path)) !== undefined;
    const diff = await of("diff", () => diffFragments(plan, plans, isSecret, caller));
    const reader = new ProjectReader(workspace);
    const [files, ...others] = await Promise.all([
      this.#files.collect({
        project,
        query,
        terms: queryTerms(query),
        ...(input.include !== undefined && { include: input.include }),
        ...(input.exclude !== undefined && { exclude: input.exclude }),
        ...(input.pinned !== undefined && { pinned: input.pinned }),
        changed: diff?.changed ?? new Set(),
        all: sources.has("files"),
        signal: caller.signal,
      }),
      of("instructions", () => instructionFragments(project, reader)),
      of("skills", () => skillFragments(this.#shelf, project, query, limit)),
      of("plan", () => planFragments(subject)),
      of("decisions", () => decisionFragments(subject)),
      of("history", () => historyFragments(this.#records, subject, caller)),
      of("tools", () => toolFragments(tools, project, caller)),
    ]);
    const texts = [diff, ...others].filter((one) => one !== undefined);
    const own = texts.flatMap(({ candidates }) => candidates).map((one) => this.#clean(one));
    // Instructions stand there as such; not once more as a file.
    const known = new Set(own.map(({ uri }) => uri));
    const rest = files.candidates.filter(({ uri, pinned }) => pinned === true || !known.has(uri));
    const pinned = new Set(
      rest.filter((candidate) => candidate.pinned === true).map(({ uri }) => uri),
    );
    const all: readonly Collected[] = [files, ...texts];
    return {
      candidates: [...own.filter(({ uri }) => !pinned.has(uri)), ...rest],
      dropped: all.flatMap(({ dropped = [] }) => dropped),
      warnings: all.flatMap(({ warnings = [] }) => warnings).map((text) => this.#redact(text)),
      files,
    };
  }

  /** Whatever wrote it, it may have quoted a key. */
  #clean(candidate: Candidate): Candidate {
    const forms = candidate.forms.map(({ detail, parts }) =>
      formOf(
        detail,
        parts.map((part) => ({ ...part, content: this.#redact(wellFormed(part.content)) })),
      ),
    );
    return { ...candidate, forms };
  }

  async #tell(
    { plan, session }: Subject,
    { principal: { owner } }: Caller,
    counts: { readonly fragments: number; readonly used: number; readonly dropped: number },
  ): Promise<void> {
    const { fragments, used: tokens, dropped } = counts;
    const draft = eventDraft(
      "context.built",
      { fragments, tokens, dropped },
      {
        plan_id: plan?.plan_id ?? null,
        session_id: session?.session_id ?? plan?.session_id ?? null,
      },
    );
    await this.#options.commit({ events: { owner, drafts: [draft] } });
  }
}

/** @throws ValidationError when pinned files do not fit: they would be lost without a word */
function checkPins(candidates: readonly Candidate[], room: number): void {
  const pins = candidates.filter(({ pinned }) => pinned === true);
  const needed = pins.reduce((sum, { forms: [whole] }) => sum + (whole?.tokens ?? 0), 0);
  if (needed <= room) return;
  const message = `pinned files take ${needed} tokens, and there are ${room}`;
  throw new ValidationError(`The ${message}; pin less, or ask for more tokens.`, [
    { path: ["pinned"], message },
  ]);
}

function overBudget({ uri, forms: [whole] }: Candidate): DroppedFragment {
  return { uri, reason: "over_budget", tokens: whole?.tokens ?? null };
}

function emptyWarning(
  { fileCount }: CollectedFiles,
  fragments: readonly ContextFragment[],
  { project }: Subject,
): readonly string[] {
  const isThere = fragments.some(
    ({ source, detail }) => source === "files" && detail !== "reference",
  );
  if (isThere || fileCount === 0) return [];
  return [
    `EMPTY_FILE_CONTEXT: no text of the ${fileCount} files of ${project.name} is in this context; see what was dropped, and why.`,
  ];
}

/** All that decides on a context beside what there is. */
function parametersOf({ input, subject, view, sources, query, limit, reserved }: Asked) {
  return {
    project: subject.project.name,
    plan: subject.plan?.plan_id ?? null,
    session: subject.session?.session_id ?? null,
    view,
    sources: [...sources].toSorted(compare),
    query,
    limit,
    reserved,
    include: input.include ?? null,
    exclude: input.exclude ?? null,
    pinned: input.pinned ?? null,
  };
}
