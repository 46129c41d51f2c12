import { placeOf, type SkillShelf, SKILLS_BUDGET } from "@acumen/agent";
import type { Project } from "../sandbox/sandboxes.ts";
import { type Collected, formOf } from "./candidate.ts";
import { headOf } from "./well-formed.ts";

const MOST_CHARS = 300;
const MOST_TOKENS = 20_000;

/** The skills that a session with this question would be given, by the ids under which they are rated. */
export async function skillFragments(
  shelf: SkillShelf,
  project: Project,
  question: string,
  budget: number,
): Promise<Collected> {
  const workspace = { cwd: project.path, trusted: project.trusted };
  // More than the share, because what others leave flows on.
  const wanted = Math.min(Math.max(SKILLS_BUDGET, budget), MOST_TOKENS);
  const { skillIds, problems } = await shelf.choose({ workspace, question, budget: wanted });
  const contents = await shelf.contents(workspace);
  return {
    candidates: skillIds.flatMap((id, rank) => {
      const content = contents.get(id);
      if (content === undefined) return [];
      const part = { uri: `skill:${encodeURIComponent(id)}`, title: `Skill ${id}`, content };
      const head = headOf(content, MOST_CHARS);
      const isLong = content.length > MOST_CHARS * 1.5;
      return {
        source: "skills" as const,
        group: "skills" as const,
        uri: part.uri,
        score: 1 / (1 + rank / 10),
        trust: placeOf(id).book === "machine" ? ("trusted" as const) : ("untrusted" as const),
        forms: [
          formOf("full", [part]),
          ...(isLong ? [formOf("excerpt", [{ ...part, content: head }])] : []),
        ],
      };
    }),
    warnings: problems.map(({ message }) => message),
  };
}
