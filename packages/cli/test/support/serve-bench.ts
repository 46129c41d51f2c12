import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TempFolder, tempFolder } from "@acumen/testkit";
import { type Outcome, runMain } from "./run-main.ts";

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  /** What the start printed. */
  readonly token: string;
  readonly stderr: () => string;
  /** As a signal would. @param reason of the end; default: the test's */
  stop(reason?: Error): Promise<Outcome>;
}

export interface ServeBench extends AsyncDisposable {
  readonly folder: TempFolder;
  /** A new git repository with these files. */
  project(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  git(project: string, ...args: readonly string[]): void;
  acumen(args: readonly string[], variables?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** `acumen serve` in this process, when it listens. @throws Error with what it said when it ends before */
  serve(args: readonly string[]): Promise<RunningServer>;
}

/** Among the arguments of `serve`: without the scripted model. */
export const NO_MODEL = "--without-a-model";

/** `acumen serve` and the commands beside it, with a home of their own and a scripted model. */
export async function serveBench(script: object): Promise<ServeBench> {
  const folder = await tempFolder("acumen-serve");
  const model = folder.join("script.json");
  await writeFile(model, JSON.stringify(script));
  const home = folder.join("home");
  const acumen: ServeBench["acumen"] = (args, variables = {}) => runMain(args, { home, variables });
  const git = (cwd: string, ...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=t@example.com", ...args], {
      cwd,
    });
  const servers: RunningServer[] = [];
  return {
    folder,
    acumen,
    git,
    project: async (name, files) => {
      const path = folder.join(name);
      await mkdir(path);
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(path, file)), { recursive: true });
        await writeFile(join(path, file), text);
      }
      git(path, "init", "-q", "-b", "main");
      git(path, "add", "-A");
      git(path, "commit", "-q", "-m", "First");
      return path;
    },
    serve: async (args) => {
      const end = new AbortController();
      let said = "";
      let isThere: () => void = () => undefined;
      const there = new Promise<void>((resolve) => void (isThere = resolve));
      const chosen = args.includes(NO_MODEL) ? [] : ["--model", `scripted/${model}`];
      const rest = args.filter((arg) => arg !== NO_MODEL);
      const line = ["serve", "--port", "0", ...chosen, ...rest];
      const ended = runMain(line, {
        home,
        signal: end.signal,
        onStderr: (text) => {
          said += text;
          // The last line of what it says when there is a token.
          if (said.includes('{"operation":"session.create"}')) isThere();
        },
      });
      await Promise.race([there, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
      const server: RunningServer = {
        url: /serving \d+ projects? at (\S+)/.exec(said)?.[1] ?? "",
        token: /ACUMEN_TOKEN=(acm_\w+)/.exec(said)?.[1] ?? "",
        stderr: () => said,
        stop: (reason = new Error("The test has ended.")) => {
          end.abort(reason);
          return ended;
        },
        [Symbol.asyncDispose]: async () => void (await server.stop()),
      };
      servers.push(server);
      return server;
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) await server.stop();
      await folder.remove();
    },
  };
}

export interface Answer {
  readonly status: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export async function dispatch(
  { url, token }: Pick<RunningServer, "url" | "token">,
  operation: string,
  params: object = {},
): Promise<Answer> {
  const response = await fetch(`${url}/acp/v1/dispatch`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ operation, params }),
  });
  return (await response.json()) as Answer;
}
