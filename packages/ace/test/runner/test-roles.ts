import type { AgentInput, AgentOutput } from "../../src/roles/agent.ts";
import type { ReflectorInput, ReflectorOutput } from "../../src/roles/reflector.ts";
import type { RoleSet } from "../../src/roles/role-set.ts";
import type { SkillManagerInput, SkillManagerOutput } from "../../src/roles/skill-manager.ts";

export type Proposed = SkillManagerOutput["update"]["operations"];

export interface TestRolesOptions {
  readonly sequential?: boolean;
  readonly answer?: (input: AgentInput) => AgentOutput | Promise<AgentOutput>;
  readonly reflect?: (
    input: ReflectorInput,
  ) => ReflectorOutput | undefined | Promise<ReflectorOutput | undefined>;
  readonly update?: (input: SkillManagerInput) => Proposed | Promise<Proposed>;
}

export interface TestRoles extends RoleSet {
  /** What each role was given, in order of calls. */
  readonly calls: {
    readonly agent: AgentInput[];
    readonly reflector: ReflectorInput[];
    readonly skillManager: SkillManagerInput[];
  };
}

export function reflection(part: Partial<ReflectorOutput> = {}): ReflectorOutput {
  return {
    reasoning: "",
    errorIdentification: "",
    rootCauseAnalysis: "",
    correctApproach: "",
    keyInsight: "",
    extractedLearnings: [],
    skillTags: [],
    ...part,
  };
}

export const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Never settles and does not listen to any signal. */
export const forever = (): Promise<never> => new Promise(() => undefined);

/** Roles that record their inputs. By default the answer is "unknown" and every question becomes one skill. */
export function testRoles(options: TestRolesOptions = {}): TestRoles {
  const calls: TestRoles["calls"] = { agent: [], reflector: [], skillManager: [] };
  const {
    answer = () => ({ reasoning: "because", finalAnswer: "unknown", skillIds: [] }),
    reflect = () => reflection(),
    update = ({ question }) => [
      { type: "ADD", section: "facts", content: `Lesson of ${question}` },
    ],
  } = options;
  return {
    calls,
    agent: {
      ...(options.sequential !== undefined && { sequential: options.sequential }),
      answer: async (input) => {
        calls.agent.push(input);
        return answer(input);
      },
    },
    reflector: {
      reflect: async (input) => {
        calls.reflector.push(input);
        return reflect(input);
      },
    },
    skillManager: {
      update: async (input) => {
        calls.skillManager.push(input);
        return { update: { reasoning: "", operations: await update(input) } };
      },
    },
  };
}

export const questions = (...names: string[]) => names.map((question) => ({ question }));

export const contents = (skills: readonly { readonly content: string }[]) =>
  skills.map((skill) => skill.content);
