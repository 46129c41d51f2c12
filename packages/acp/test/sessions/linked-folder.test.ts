import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HostPaths } from "../../src/client/host-paths.ts";
import { type HostBench, hostBench } from "../support/host-bench.ts";

const DONE = { text: "Done." };

/** Paths of places and diffs of calls, each once. */
function placesOf(updates: readonly SessionUpdate[]): string[] {
  const paths = updates.flatMap((update) => {
    if (!("toolCallId" in update)) return [];
    const { locations, content } = update;
    const diffs = (content ?? []).flatMap((part) => (part.type === "diff" ? [part.path] : []));
    return [...(locations ?? []).map(({ path }) => path), ...diffs];
  });
  return [...new Set(paths)].toSorted();
}

interface Linked extends AsyncDisposable {
  readonly bench: HostBench;
  /** A link to the folder of the bench, and one to a folder beside it. */
  readonly link: string;
  readonly other: string;
  /** Paths of files and terminals that the host was asked for, each with its method. */
  readonly asked: [string, string][];
  /** Paths in permissions. */
  readonly permitted: SessionUpdate[];
}

/** An editor that opened the folder through a link, and knows no file by another path. */
async function linked(steps: (link: string, other: string) => readonly unknown[]): Promise<Linked> {
  const asked: [string, string][] = [];
  const permitted: SessionUpdate[] = [];
  const first = await hostBench({ steps: [] });
  const { home, cwd } = first;
  const [link, other] = [join(home, "link"), join(home, "other")];
  await mkdir(join(home, "beside"));
  await Promise.all([symlink(cwd, link), symlink(join(home, "beside"), other)]);
  await writeFile(join(cwd, "f.txt"), "on disk\n");
  await writeFile(join(home, "beside", "g.txt"), "beside\n");
  const bench = await hostBench({
    place: first,
    steps: steps(link, other),
    capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    permission: ({ toolCall }) => {
      permitted.push({ ...toolCall, sessionUpdate: "tool_call_update" });
      return { outcome: { outcome: "selected", optionId: "allow_once" } };
    },
    serves: (host) =>
      host
        .onRequest("fs/read_text_file", async ({ params: { path } }) => {
          asked.push(["read", path]);
          return { content: path.startsWith(link) ? "not saved\n" : await readFile(path, "utf8") };
        })
        .onRequest("fs/write_text_file", async ({ params: { path, content } }) => {
          asked.push(["write", path]);
          await writeFile(path, content);
          return {};
        })
        .onRequest("terminal/create", ({ params }) => {
          asked.push(["terminal", params.cwd ?? ""]);
          return { terminalId: "t" };
        })
        .onRequest("terminal/wait_for_exit", () => ({ exitCode: 0, signal: null }))
        .onRequest("terminal/output", () => ({ output: "", truncated: false }))
        .onRequest("terminal/release", () => ({})),
  });
  return {
    bench,
    link,
    other,
    asked,
    permitted,
    [Symbol.asyncDispose]: async () => {
      await bench[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}

function calls(...tools: [string, object][]): object {
  return { toolCalls: tools.map(([tool, input]) => ({ tool, input })) };
}

test("an editor hears of files by the paths that it knows, live and in a replay, and may use either", async () => {
  await using it = await linked((link, other) => [
    calls(["read_file", { path: "f.txt" }], ["read_file", { path: join(link, "f.txt") }]),
    calls(["read_file", { path: join(other, "g.txt") }]),
    calls(
      ["edit", { path: "f.txt", old_string: "not saved", new_string: "edited" }],
      ["write_file", { path: "sub/new.txt", content: "new\n" }],
      ["bash", { command: "true" }],
    ),
    DONE,
  ]);
  const { bench, link, other, asked, permitted } = it;
  const { host, cwd, home, model, updates } = bench;
  const { sessionId } = await host.request("session/new", {
    cwd: link,
    mcpServers: [],
    additionalDirectories: [`${other}/`],
  });
  await host.request("session/prompt", {
    sessionId,
    prompt: [
      { type: "text", text: "Go." },
      { type: "resource_link", name: "f.txt", uri: `file://${link}/f.txt` },
    ],
  });
  expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain("not saved");
  const expected = [join(link, "f.txt"), join(link, "sub/new.txt"), join(other, "g.txt")];
  expect([...new Set(asked.map(([, path]) => path))].toSorted()).toEqual([link, ...expected]);
  expect(asked).toContainEqual(["write", join(link, "sub/new.txt")]);
  expect(asked).toContainEqual(["terminal", link]);
  expect(await readFile(join(cwd, "f.txt"), "utf8")).toBe("edited\n");
  expect(placesOf(updates)).toEqual(expected);
  expect(placesOf(permitted)).toEqual(expected.slice(0, 2));

  const replayed = async (method: string, from: string): Promise<string[]> => {
    const before = updates.length;
    await host.request(method, { sessionId, cwd: from, mcpServers: [] });
    return placesOf(updates.slice(before));
  };
  const real = [
    join(cwd, "f.txt"),
    join(cwd, "sub/new.txt"),
    join(home, "beside", "g.txt"),
  ].toSorted();
  // What the host calls the folder counts, each time.
  expect(await replayed("session/load", cwd)).toEqual(real);
  await host.request("session/close", { sessionId });
  const again = join(home, "again");
  await symlink(link, again);
  const [f, sub] = [join(again, "f.txt"), join(again, "sub/new.txt")];
  const beside = join(home, "beside", "g.txt");
  expect(await replayed("session/load", again)).toEqual([f, sub, beside].toSorted());
  const { sessions } = await host.request("session/list", { cwd: again });
  expect(sessions.map((entry) => entry.cwd)).toEqual([again]);
  expect(bench.faults).toEqual([]);
});

test("names of folders are taken apart by whole names, the innermost first", async () => {
  await using bench = await hostBench({ steps: [] });
  const { cwd, home } = bench;
  await mkdir(join(cwd, "sub"));
  const [outer, inner] = [join(home, "outer"), join(home, "inner")];
  await Promise.all([symlink(cwd, outer), symlink(join(cwd, "sub"), inner)]);
  const paths = new HostPaths();
  expect(paths.of(cwd)).toBe(cwd);
  await paths.use([`${outer}/`, inner, join(home, "none")]);
  expect(
    [cwd, `${cwd}/a b.txt`, `${cwd}/sub`, `${cwd}/sub/..x`, `${cwd}-other/a`, "/etc/x"].map(
      (path) => paths.of(path),
    ),
  ).toEqual([outer, `${outer}/a b.txt`, inner, `${inner}/..x`, `${cwd}-other/a`, "/etc/x"]);
  await paths.use(["/"]);
  expect(paths.of("/etc/x")).toBe("/etc/x");
});
