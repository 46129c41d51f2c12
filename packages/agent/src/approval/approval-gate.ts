import type { EventPayload } from "../events/session-event.ts";
import type { RememberedDecision } from "../session/session-meta.ts";
import type { ApprovalAnswer, ApprovalGateway, ApprovalOption } from "./approval-gateway.ts";
import { approvalRequest } from "./approval-request.ts";
import { askGateway } from "./ask-gateway.ts";
import { CommandView } from "./command-view.ts";
import { type GatedCall, type GateWorkspace, isNamedFolder } from "./gated-call.ts";
import { modeVerdict } from "./mode-verdict.ts";
import type { PermissionRule, PermissionRuleSet, RuleEffect } from "./permission-rule.ts";
import type { RememberedDecisions } from "./remembered-decisions.ts";
import { type RememberedScope, rememberedScopes } from "./remembered-scope.ts";
import { deniedReads, matchRule } from "./rule-match.ts";
import type { SessionMode } from "./session-mode.ts";
import { suggestedRule } from "./suggested-rule.ts";

export interface ApprovalGateOptions {
  readonly rules: PermissionRuleSet;
  /** Absent: what needs approval is rejected. */
  readonly gateway?: ApprovalGateway;
  readonly remembered: RememberedDecisions;
  /** Names the rule that protects a file against writes; undefined: it is not protected. */
  readonly protectedRule: (path: string) => string | undefined;
  readonly workspace: GateWorkspace;
  /** Takes secrets out of what is remembered: it is stored. */
  readonly redact: (text: string) => string;
  /** Said when a mode asks and nobody is there: what else than a rule would allow the call. */
  readonly rejectedHint?: string;
}

export interface DecideOptions {
  /** Of this moment: a change holds from the next call on. */
  readonly mode: SessionMode;
  readonly signal: AbortSignal;
  /** Called before somebody is asked, with what can be answered; the question waits for it. */
  readonly requested: (options: readonly ApprovalOption[]) => Promise<void>;
}

export interface GateDecision {
  readonly decision: ApprovalAnswer;
  readonly by: EventPayload<"APPROVAL_DECIDED">["by"];
  /** The rule, the remembered decision, or why nobody could be asked. */
  readonly detail?: string;
  /** For the model; absent when the call is allowed. */
  readonly message?: string;
}

type Verdict =
  | { readonly type: "decided"; readonly decision: GateDecision }
  | {
      readonly type: "ask";
      readonly reason: string;
      /** False: an answer counts once, as a rule or a protected file asks each time. */
      readonly always: boolean;
    };

/**
 * The gate in front of every call. The first line that applies decides:
 *
 * 1. a deny rule holds: rejected
 * 2. a deny rule may hold (the command cannot be seen through), an ask rule holds or may hold: asks, each time
 * 3. a protected file would be written: asks, each time
 * 4. a rejection is remembered: rejected
 * 5. an allow rule covers the whole call (a command only in a folder that the user named): allowed
 * 6. an allowance is remembered: allowed
 * 7. the mode: `auto` allows, `safe` allows what only reads, `manual` asks
 *
 * "Each time" means that "always" is no possible answer, so that no answer promises what lines 2 and 3 would not keep.
 */
export class ApprovalGate {
  /** The deny rule, as the settings say it, by which a file (absolute real path) may not be shown to the model; undefined: there is none. */
  readonly deniedRead: (path: string) => string | undefined;
  readonly #options: ApprovalGateOptions;

  constructor(options: ApprovalGateOptions) {
    this.#options = options;
    this.deniedRead = deniedReads(options.rules, options.workspace);
  }

  /**
   * Settles within moments of an abort, as `cancelled`, whatever the gateway does.
   * @throws what `requested` and the store of remembered decisions throw; the call must not run then
   */
  async decide(call: GatedCall, options: DecideOptions): Promise<GateDecision> {
    if (options.signal.aborted) return CANCELLED;
    const { subject } = call.preview;
    const view = subject.type === "command" ? new CommandView(subject.command) : undefined;
    const { workspace, redact } = this.#options;
    const scopes = rememberedScopes(call, view, workspace, redact);
    const verdict = this.#verdict(call, view, scopes, options.mode);
    if (verdict.type === "decided") return verdict.decision;
    return this.#ask(call, view, scopes, verdict, options);
  }

  #verdict(
    call: GatedCall,
    view: CommandView | undefined,
    scopes: readonly RememberedScope[],
    mode: SessionMode,
  ): Verdict {
    const strict = this.#strictRule(call, view) ?? this.#protectedFile(call);
    if (strict !== undefined) return strict;
    const remembered = this.#options.remembered.find(scopes);
    if (remembered?.decision === "reject") return decided(rejectedByMemory(remembered));
    const allowed = this.#allowRule(call, view);
    if (allowed !== undefined) {
      return decided({ decision: "allow_once", by: "rule", detail: nameOf(allowed.rule) });
    }
    if (remembered !== undefined && mayBeAllowedForGood(call, view)) {
      return decided({
        decision: "allow_always",
        by: "remembered",
        detail: remembered.description,
      });
    }
    const reason = modeVerdict(call, mode);
    if (reason === undefined) return decided({ decision: "allow_once", by: "mode", detail: mode });
    return { type: "ask", reason, always: true };
  }

  #strictRule(call: GatedCall, view: CommandView | undefined): Verdict | undefined {
    const denied = this.#rule("deny", call, view);
    if (denied?.certain === true) return decided(rejectedByRule(denied.rule));
    const asked = this.#rule("ask", call, view) ?? denied;
    if (asked === undefined) return undefined;
    const reason = asked.certain
      ? `The rule ${nameOf(asked.rule)} asks for this call.`
      : `It cannot be seen whether the rule ${nameOf(asked.rule)} holds for this call.`;
    return { type: "ask", reason, always: false };
  }

  #allowRule(
    call: GatedCall,
    view: CommandView | undefined,
  ): { readonly rule: PermissionRule } | undefined {
    const { subject } = call.preview;
    if (subject.type === "command" && !isNamedFolder(subject.cwd, this.#options.workspace)) {
      return undefined;
    }
    return this.#rule("allow", call, view);
  }

  /** The first rule that holds, else the first that may hold. */
  #rule(
    effect: RuleEffect,
    call: GatedCall,
    view: CommandView | undefined,
  ): { readonly rule: PermissionRule; readonly certain: boolean } | undefined {
    const matches = this.#options.rules[effect].map((rule) => ({
      rule,
      match: matchRule(rule, call, view, this.#options.workspace),
    }));
    const found =
      matches.find(({ match }) => match === "yes") ??
      matches.find(({ match }) => match === "maybe");
    return found && { rule: found.rule, certain: found.match === "yes" };
  }

  #protectedFile({ preview: { subject } }: GatedCall): Verdict | undefined {
    if (subject.type !== "files" || subject.access !== "write") return undefined;
    for (const path of subject.paths) {
      const rule = this.#options.protectedRule(path);
      if (rule !== undefined) {
        return { type: "ask", reason: `${path} is protected (${rule}).`, always: false };
      }
    }
    return undefined;
  }

  async #ask(
    call: GatedCall,
    view: CommandView | undefined,
    scopes: readonly RememberedScope[],
    verdict: Extract<Verdict, { type: "ask" }>,
    { signal, requested }: DecideOptions,
  ): Promise<GateDecision> {
    const { gateway, remembered } = this.#options;
    if (gateway === undefined) return this.#nobodyThere(call, view, verdict);
    const scope = verdict.always ? scopes.at(-1) : undefined;
    const options = possibleAnswers(scope, mayBeAllowedForGood(call, view));
    await requested(options);
    const request = approvalRequest(call, options, {
      reason: verdict.reason,
      alwaysCovers: scope?.description ?? "",
    });
    const answer = await askGateway(gateway, request, signal);
    switch (answer) {
      case "cancelled":
        return CANCELLED;
      case "failed":
        return gatewayFailed();
      case "allow_always":
      case "reject_always":
        if (scope !== undefined && options.includes(answer)) {
          await remembered.add(answer === "allow_always" ? "allow" : "reject", scope);
          return byUser(answer);
        }
        return byUser(answer === "allow_always" ? "allow_once" : "reject_once");
      case "allow_once":
      case "reject_once":
        return byUser(answer);
    }
  }

  #nobodyThere(
    call: GatedCall,
    view: CommandView | undefined,
    { reason, always }: Extract<Verdict, { type: "ask" }>,
  ): GateDecision {
    const { workspace, redact, rejectedHint } = this.#options;
    const hints = always
      ? [rejectedHint, suggestedRule(call, view, workspace, redact)]
      : ["It is asked for each time, in every mode: only a person's answer allows it."];
    const said = [
      "The call needs approval, and nobody is there to ask; it did not run.",
      reason,
      ...hints.filter(Boolean),
    ];
    return {
      decision: "reject_once",
      by: "nobody",
      detail: `${reason} Nobody is there to ask.`,
      message: said.join(" "),
    };
  }
}

const CANCELLED: GateDecision = {
  decision: "cancelled",
  by: "user",
  message: "The call was cancelled before it was approved; it did not run.",
};

/** Only what a simple command does is known beforehand. */
function mayBeAllowedForGood(call: GatedCall, view: CommandView | undefined): boolean {
  return call.preview.subject.type !== "command" || view?.words !== undefined;
}

function possibleAnswers(
  scope: RememberedScope | undefined,
  allowAlways: boolean,
): readonly ApprovalOption[] {
  if (scope === undefined) return ["allow_once", "reject_once"];
  if (!allowAlways) return ["allow_once", "reject_once", "reject_always"];
  return ["allow_once", "allow_always", "reject_once", "reject_always"];
}

function decided(decision: GateDecision): Verdict {
  return { type: "decided", decision };
}

function nameOf({ effect, text }: PermissionRule): string {
  return `${effect} ${text}`;
}

function byUser(decision: ApprovalOption): GateDecision {
  if (decision === "allow_once" || decision === "allow_always") return { decision, by: "user" };
  return {
    decision,
    by: "user",
    message:
      "The user rejected this call; it did not run. Do not try the same again: find another way, or ask what the user wants.",
  };
}

function rejectedByRule(rule: PermissionRule): GateDecision {
  return {
    decision: "reject_once",
    by: "rule",
    detail: nameOf(rule),
    message: `The settings forbid this call (rule ${nameOf(rule)}); it did not run. Do not try to get round the rule.`,
  };
}

function rejectedByMemory({ description }: RememberedDecision): GateDecision {
  return {
    decision: "reject_always",
    by: "remembered",
    detail: description,
    message: `The user rejected this for the whole session (${description}); it did not run. Find another way.`,
  };
}

function gatewayFailed(): GateDecision {
  return {
    decision: "reject_once",
    by: "nobody",
    detail: "The approval could not be obtained: the question was not answered properly.",
    message: "The call needs approval, and the approval could not be obtained; it did not run.",
  };
}
