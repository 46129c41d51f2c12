import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFileAtomic } from "@acumen/core";
import type { Stage } from "../stage.ts";

/** Where the second act happens: a home and a repository of its own, and nothing of the person's. */
export interface PracticePlace {
  /** ACUMEN_HOME. */
  readonly home: string;
  readonly repository: string;
  /** Environment of every process of the act. */
  readonly env: Readonly<Record<string, string>>;
}

/** The embedded model learns; only the conversation follows a script. */
const SETTINGS = { learning: { mode: "suggest", model: "builtin/recall" } };

export async function preparePlace({ root, variables }: Stage): Promise<PracticePlace> {
  const home = join(root, "home");
  await mkdir(home, { mode: 0o700 });
  await writeFileAtomic(join(home, "config.json"), `${JSON.stringify(SETTINGS)}\n`);
  const { PATH: path = "", TMPDIR: temporary } = variables;
  return {
    home,
    repository: join(root, "repository"),
    env: {
      // Behind everything else the Node that runs the tour, for a machine on which no other is found.
      PATH: [path, dirname(process.execPath)].join(delimiter),
      HOME: root,
      ACUMEN_HOME: home,
      ...(temporary !== undefined && { TMPDIR: temporary }),
    },
  };
}

/** Id of the scripted model that replays a file of the tour. */
export function scriptedModel(
  name:
    | "change-by-plan"
    | "drive-from-an-editor"
    | "mend-the-code"
    | "use-a-server"
    | "use-the-skill",
): string {
  const file = new URL(`../../../data/practice/${name}.json`, import.meta.url);
  return `scripted/${fileURLToPath(file)}`;
}
