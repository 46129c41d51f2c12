import { mkdir, writeFile } from "node:fs/promises";
import { type TempFolder, tempFolder } from "@acumen/testkit";
import { type Outcome, runMain, type RunOptions } from "./run-main.ts";

/** A home, a workspace and a scripted model, all in one temp folder. */
export interface AgentBench extends AsyncDisposable {
  readonly folder: TempFolder;
  /** ACUMEN_HOME. */
  readonly home: string;
  readonly workspace: string;
  /** Id of the scripted model. */
  readonly model: string;
  write(name: string, text: string): Promise<string>;
  /** `acumen run` in the workspace with the scripted model. */
  run(words: readonly string[], options?: Partial<RunOptions>): Promise<Outcome>;
  /** Any command line. */
  acumen(args: readonly string[], options?: Partial<RunOptions>): Promise<Outcome>;
}

/** @param script what the model says, as in a script file */
export async function agentBench(script: object): Promise<AgentBench> {
  const folder = await tempFolder();
  const home = folder.join("home");
  const workspace = folder.join("work");
  await mkdir(workspace);
  await mkdir(home);
  const path = folder.join("script.json");
  await writeFile(path, JSON.stringify(script));
  const model = `scripted/${path}`;
  const acumen: AgentBench["acumen"] = (args, options = {}) => runMain(args, { home, ...options });
  return {
    folder,
    home,
    workspace,
    model,
    acumen,
    run: (words, options) =>
      acumen(["run", "--cwd", workspace, "--model", model, ...words], options),
    write: async (name, text) => {
      const target = folder.join(name);
      await mkdir(folder.join(name, ".."), { recursive: true });
      await writeFile(target, text);
      return target;
    },
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}
