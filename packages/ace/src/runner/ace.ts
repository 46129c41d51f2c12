import { abortError, type Clock, createId, throwIfAborted } from "@acumen/core";
import { aceError } from "../errors.ts";
import type { Sample } from "../evaluation/evaluation.ts";
import { runUntilAborted, stepError } from "../pipeline/run-step.ts";
import type { AgentRole } from "../roles/agent.ts";
import type { RoleSet } from "../roles/role-set.ts";
import { loadSkillbook, saveSkillbook } from "../skillbook/file.ts";
import type { LoadReport } from "../skillbook/load.ts";
import { Skillbook } from "../skillbook/skillbook.ts";
import {
  type AceOptions,
  checkAceOptions,
  checkCount,
  checkFeedback,
  checkRoles,
  checkSamples,
  checkText,
  checkTraces,
  type ModelSettings,
} from "./ace-options.ts";
import { askAgent } from "./ask-agent.ts";
import type {
  AskOptions,
  BookFileOptions,
  LearnOptions,
  LearnTracesOptions,
  RoleModels,
} from "./call-options.ts";
import { type Feedback, feedbackProvenance, feedbackTrace } from "./feedback.ts";
import { InteractionLog } from "./interactions.ts";
import { Learner } from "./learner.ts";
import { LearningGate } from "./learning-gate.ts";
import { resolveRoles, resolveRolesOf } from "./model-resolver.ts";
import type { AskResult, FeedbackReport, LearnReport, TraceLearnReport } from "./reports.ts";
import { readTraceFile, type TraceFile } from "./trace-file.ts";

/**
 * The engine on one skillbook: answers questions with it and lets it grow from samples, feedback and traces (ACE, arXiv
 * 2510.04618). Calls may overlap; updates of a book still happen one at a time, each call's in sample order. After an
 * abort every call returns at once and commits nothing more, also when a role does not listen to its signal.
 */
export class Ace {
  readonly #agent: AgentRole;
  readonly #learner: Learner;
  readonly #interactions = new InteractionLog();
  readonly #gate = new LearningGate();
  readonly #bookOptions: { readonly clock?: Clock };
  #skillbook: Skillbook;
  #learning: boolean;

  private constructor(roles: RoleSet, options: AceOptions) {
    const { clock, learning = true } = options;
    this.#agent = roles.agent;
    this.#learner = new Learner(roles, options);
    this.#bookOptions = clock ? { clock } : {};
    this.#skillbook = options.skillbook ?? new Skillbook(this.#bookOptions);
    this.#learning = learning;
  }

  /** @throws ACE_OPTION_INVALID */
  static fromRoles(roles: RoleSet, options: AceOptions = {}): Ace {
    checkRoles(roles);
    checkAceOptions(options);
    return new Ace(roles, options);
  }

  /**
   * One model for all three roles.
   * @param id `builtin/recall`, or a language model as LiteLLM names it; its key comes from the environment, or `options.env`
   * @throws MODEL_FAILED (`details.kind` says why), ACE_OPTION_INVALID
   */
  static async fromModel(id: string, options: AceOptions & ModelSettings = {}): Promise<Ace> {
    return Ace.fromRoles(await resolveRoles(id, options), options);
  }

  /** A model per role. @throws MODEL_FAILED, ACE_OPTION_INVALID */
  static async fromModels(ids: RoleModels, options: AceOptions & ModelSettings = {}): Promise<Ace> {
    return Ace.fromRoles(await resolveRolesOf(ids, options), options);
  }

  /** The book in use; {@link load} puts another one in its place. */
  get skillbook(): Skillbook {
    return this.#skillbook;
  }

  get learningEnabled(): boolean {
    return this.#learning;
  }

  enableLearning(): void {
    this.#learning = true;
  }

  /** Later learning calls are refused with ACE_LEARNING_DISABLED; one that is under way goes on. */
  disableLearning(): void {
    this.#learning = false;
  }

  /**
   * Answers with the help of the skillbook and remembers the interaction for later feedback.
   * @throws ACE_OPTION_INVALID, ACE_ROLE_FAILED, CORE_ABORTED, or what the agent throws with a code
   */
  async ask(question: string, options: AskOptions = {}): Promise<AskResult> {
    const { context = "", signal } = options;
    checkText("question", question, "filled");
    checkText("context", context, "any");
    const skillbook = this.#skillbook;
    const { size: skillCount, revision } = skillbook;
    const input = { question, context, skillbook, ...(signal && { signal }) };
    const output = await runUntilAborted(() => askAgent(this.#agent, input), signal).catch(
      (cause: unknown) => {
        throw signal?.aborted ? abortError(signal) : stepError("agent", cause);
      },
    );
    const { finalAnswer: answer, reasoning, skillIds } = output;
    const interactionId = createId();
    // A book that was loaded meanwhile knows nothing of these citations.
    if (skillbook === this.#skillbook) {
      const asked = { question, context, reasoning, answer, skillIds, revision };
      this.#interactions.remember({ id: interactionId, ...asked });
    }
    return { interactionId, answer, reasoning, skillIds, skillCount };
  }

  /**
   * Answers, judges and learns from samples. Resolves whatever becomes of them: failures and an abort are in the report.
   * @throws ACE_LEARNING_DISABLED, ACE_OPTION_INVALID, CORE_FILE_NOT_WRITABLE for the checkpoint folder
   */
  async learn(samples: readonly Sample[], options: LearnOptions = {}): Promise<LearnReport> {
    this.#checkLearning(options);
    checkSamples(samples);
    const given = [...samples];
    const learn = () => this.#learner.samples(this.#skillbook, given, options);
    return this.#gate.learn(learn, options.signal);
  }

  /**
   * Learns from work that was done elsewhere: any JSON values, or the path of a JSONL file. Bad traces fail alone, bad
   * lines are reported; see {@link learn} for the rest.
   * @throws ACE_LEARNING_DISABLED, ACE_OPTION_INVALID; while reading the file CORE_FILE_NOT_FOUND, CORE_FILE_UNREADABLE,
   * CORE_FILE_TOO_LARGE (64 MiB), CORE_ABORTED
   */
  async learnFromTraces(
    traces: readonly unknown[] | string,
    options: LearnTracesOptions = {},
  ): Promise<TraceLearnReport> {
    this.#checkLearning(options);
    checkTraces(traces);
    const file: TraceFile =
      typeof traces === "string"
        ? await runUntilAborted(() => readTraceFile(traces), options.signal)
        : { traces: [...traces], skippedLines: [] };
    const learn = () => this.#learner.traces(this.#skillbook, file.traces, options);
    const report = await this.#gate.learn(learn, options.signal);
    return { ...report, skippedLines: file.skippedLines };
  }

  /**
   * Learns from a person's judgement of an answer. The interaction it is about lends its question, context, reasoning and
   * cited skills; without one the given fields are all there is.
   * @throws ACE_LEARNING_DISABLED, ACE_OPTION_INVALID, ACE_ROLE_FAILED, CORE_ABORTED, or what a role throws with a code
   */
  async learnFromFeedback(given: Feedback): Promise<FeedbackReport> {
    this.#checkLearning({});
    checkFeedback(given);
    throwIfAborted(given.signal);
    const interaction = this.#interactions.find(given);
    const trace = feedbackTrace(given, interaction);
    const provenance = feedbackProvenance(trace, interaction);
    const report = await this.#gate.learn(
      () => this.#learner.feedback(this.#skillbook, trace, provenance, given.signal),
      given.signal,
    );
    const error = report.results[0]?.error;
    if (error) throw error;
    return {
      matchedInteraction: interaction !== undefined,
      skillCountBefore: report.skillCountBefore,
      skillCountAfter: report.skillCountAfter,
      newSkillCount: report.newSkillCount,
    };
  }

  /** Writes the book as it stands, in one step. @throws what `saveSkillbook` throws */
  async save(
    path: string,
    options: BookFileOptions = {},
  ): Promise<{ path: string; skills: number }> {
    return saveSkillbook(this.#skillbook, path, options);
  }

  /**
   * Replaces the book by a file's, after the learning that is under way has ended, and forgets the interactions. A file
   * that cannot be loaded, or an abort, changes nothing.
   * @throws what `loadSkillbook` throws; CORE_ABORTED
   */
  async load(path: string, options: BookFileOptions = {}): Promise<LoadReport> {
    const { signal, check } = options;
    const loadOptions = { ...this.#bookOptions, ...(check && { check }) };
    return this.#gate.change(
      () => loadSkillbook(path, loadOptions),
      ({ skillbook, report }) => {
        this.#skillbook = skillbook;
        this.#interactions.clear();
        return report;
      },
      signal,
    );
  }

  #checkLearning({ workers, epochs }: LearnOptions): void {
    if (!this.#learning) {
      throw aceError(
        "ACE_LEARNING_DISABLED",
        "Learning is switched off for this runner. Call enableLearning() first.",
      );
    }
    checkCount("workers", workers);
    checkCount("epochs", epochs);
  }
}
