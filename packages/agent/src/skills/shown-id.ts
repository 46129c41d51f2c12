/** The two books that a session's skills can come from. */
export type BookName = "machine" | "workspace";

export interface SkillPlace {
  readonly book: BookName;
  /** In that book. */
  readonly id: string;
}

const WORKSPACE = "ws-";
const MACHINE = "home-";

/**
 * The id under which a prompt shows a skill, so that ids of two books never clash: the workspace's begin with `ws-`, the machine's are shown
 * as they are (with `home-` in front of those that begin with either word). No look-up is needed for the way back: {@link placeOf}.
 */
export function shownId({ book, id }: SkillPlace): string {
  if (book === "workspace") return `${WORKSPACE}${id}`;
  return id.startsWith(WORKSPACE) || id.startsWith(MACHINE) ? `${MACHINE}${id}` : id;
}

export function placeOf(shown: string): SkillPlace {
  if (shown.startsWith(WORKSPACE)) return { book: "workspace", id: shown.slice(WORKSPACE.length) };
  const id = shown.startsWith(MACHINE) ? shown.slice(MACHINE.length) : shown;
  return { book: "machine", id };
}
