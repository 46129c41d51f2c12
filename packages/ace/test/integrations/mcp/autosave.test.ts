import { tempFolder } from "@acumen/testkit";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { McpServerConfig } from "../../../src/integrations/mcp/config.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { type TestEngine, testEngine } from "./support/engine.ts";
import { addSkills, learnReport, stubFactory } from "./support/stub-runner.ts";

/** An engine whose `ace.learn.sample` adds one skill per sample, saying what the question says. */
function autosaving(root: string, config: Partial<McpServerConfig> = {}): TestEngine {
  const { create } = stubFactory((book) => ({
    learn: async (samples) => {
      addSkills(book, ...samples.map(({ question }) => question));
      return learnReport;
    },
  }));
  return testEngine({
    createRunner: create,
    config: { skillbookRoot: root, autosave: true, ...config },
  });
}

const learn = (engine: TestEngine, id: string, ...questions: string[]) =>
  engine.reply("ace.learn.sample", {
    session_id: id,
    samples: questions.map((question) => ({ question })),
  });

async function contents(engine: TestEngine, id: string): Promise<string[]> {
  const { skills } = await engine.reply("ace.skillbook.get", { session_id: id, limit: 200 });
  return (skills as { content: string }[]).map(({ content }) => content).toSorted();
}

const fileOf = (namespace: string, id: string): string =>
  `${createHash("sha256").update(`${namespace}${id}`).digest("hex")}.json`;

describe("autosave", () => {
  it("restores a session at its first use in another process, get and save included", async () => {
    await using root = await tempFolder();
    await learn(autosaving(root.path), "s", "one", "two");
    expect(await contents(autosaving(root.path), "s")).toEqual(["one", "two"]);
    const saved = await autosaving(root.path).reply("ace.skillbook.save", {
      session_id: "s",
      path: "copy.json",
    });
    expect(saved).toMatchObject({ saved_skill_count: 2 });
    const later = autosaving(root.path);
    await learn(later, "s", "three");
    expect(await contents(later, "s")).toEqual(["one", "three", "two"]);
  });

  it("writes a private file under a hashed name that is a skillbook and says whose it is", async () => {
    await using root = await tempFolder();
    await learn(autosaving(root.path, { sessionNamespace: "ns" }), "../../evil", "one");
    const path = root.join(".ace-sessions", fileOf("ns", "../../evil"));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(root.join(".ace-sessions"))).mode & 0o777).toBe(0o700);
    const record = JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
    expect(record["session"]).toEqual({ namespace: "ns", id: "../../evil" });
    expect(Skillbook.fromRecord(record).skillbook.size).toBe(1);
  });

  it("keeps namespaces apart, and refuses a file that belongs to another session", async () => {
    await using root = await tempFolder();
    await learn(autosaving(root.path, { sessionNamespace: "a" }), "s", "one");
    const other = autosaving(root.path, { sessionNamespace: "b" });
    expect(await other.failure("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
    });
    // A copy under the name of another session.
    await writeFile(
      root.join(".ace-sessions", fileOf("a", "other")),
      await readFile(root.join(".ace-sessions", fileOf("a", "s"))),
    );
    const copied = autosaving(root.path, { sessionNamespace: "a" });
    expect(await copied.failure("ace.ask", { session_id: "other", question: "q" })).toMatchObject({
      details: { reason: "not_a_skillbook" },
    });
    // "a" + "s" and "" + "as" have one hash.
    const clash = autosaving(root.path);
    expect(await clash.failure("ace.ask", { session_id: "as", question: "q" })).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { reason: "not_a_skillbook" },
    });
  });

  it("writes only after a change", async () => {
    await using root = await tempFolder();
    const engine = autosaving(root.path);
    await engine.reply("ace.ask", { session_id: "s", question: "q" });
    await expect(readdir(root.path)).resolves.toEqual([]);
    await learn(engine, "s", "one");
    const path = root.join(".ace-sessions", fileOf("", "s"));
    const before = await stat(path);
    await engine.reply("ace.ask", { session_id: "s", question: "q" });
    await engine.reply("ace.skillbook.get", { session_id: "s" });
    expect((await stat(path)).ino).toBe(before.ino);
  });

  it("saves what load brought", async () => {
    await using root = await tempFolder();
    const book = new Skillbook();
    addSkills(book, "loaded");
    await writeFile(root.join("a.json"), JSON.stringify(book.toRecord()));
    await autosaving(root.path).reply("ace.skillbook.load", { session_id: "s", path: "a.json" });
    expect(await contents(autosaving(root.path), "s")).toEqual(["loaded"]);
  });

  it("merges with what another process wrote meanwhile: neither side loses a skill", async () => {
    await using root = await tempFolder();
    const first = autosaving(root.path);
    const second = autosaving(root.path);
    await learn(first, "s", "common");
    await contents(second, "s");
    await learn(first, "s", "of the first");
    await learn(second, "s", "of the second");
    await learn(first, "s", "of the first again");
    const all = ["common", "of the first", "of the first again", "of the second"];
    expect(await contents(first, "s")).toEqual(all);
    expect(await contents(second, "s")).toEqual(all);
    expect(await contents(autosaving(root.path), "s")).toEqual(all);
  });

  it("builds a new runner when a merge renamed skills: what the old one remembers cites other ones", async () => {
    await using root = await tempFolder();
    const stubs = ["a", "b"].map((side) =>
      stubFactory((book) => ({
        learn: async (samples) => {
          addSkills(book, ...samples.map(({ question }) => `${side} ${question}`));
          return learnReport;
        },
      })),
    );
    const engines = stubs.map(({ create }) =>
      testEngine({ createRunner: create, config: { skillbookRoot: root.path, autosave: true } }),
    );
    const [first, second] = engines;
    if (first === undefined || second === undefined) throw new Error("two engines");
    const ask = { session_id: "s", question: "q" };
    await Promise.all(engines.map((engine) => engine.reply("ace.ask", ask)));
    await Promise.all(engines.map((engine) => learn(engine, "s", "one")));
    await Promise.all(engines.map((engine) => engine.reply("ace.ask", ask)));
    const builds = stubs.map((stub) => stub.count("build")).toSorted((a, b) => a - b);
    expect(builds).toEqual([1, 2]);
    expect(await contents(first, "s")).toEqual(["a one", "b one"]);
    expect(await contents(second, "s")).toEqual(["a one", "b one"]);
  });

  it("loses nothing when many processes learn into one session at once", async () => {
    await using root = await tempFolder();
    const engines = [0, 1, 2, 3].map(() => autosaving(root.path));
    await Promise.all(
      engines.map(async (engine, index) => {
        for (let round = 0; round < 3; round += 1)
          await learn(engine, "s", `lesson ${index} of round ${round}`);
      }),
    );
    expect(await contents(autosaving(root.path), "s")).toHaveLength(12);
  });

  it("tells when a file cannot be written, keeps the learning in memory, and saves it with the next change", async () => {
    await using root = await tempFolder();
    const engine = autosaving(root.path);
    await writeFile(root.join(".ace-sessions"), "in the way");
    const error = await engine.failure("ace.learn.sample", {
      session_id: "s",
      samples: [{ question: "one" }],
    });
    expect(error).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { reason: "not_writable", kept_in_memory: true },
    });
    expect(await contents(engine, "s")).toEqual(["one"]);
    await engine.reply("ace.ask", { session_id: "s", question: "q" });
    await rm(root.join(".ace-sessions"));
    expect(await contents(engine, "s")).toEqual(["one"]);
    expect(await contents(autosaving(root.path), "s")).toEqual(["one"]);
  });

  it("saves at the end what could not be saved before", async () => {
    await using root = await tempFolder();
    const engine = autosaving(root.path);
    await writeFile(root.join(".ace-sessions"), "in the way");
    await engine.failure("ace.learn.sample", { session_id: "s", samples: [{ question: "one" }] });
    await rm(root.join(".ace-sessions"));
    await engine.registry.saveChanged();
    expect(await contents(autosaving(root.path), "s")).toEqual(["one"]);
  });

  it("never overwrites a session file that it cannot read", async () => {
    await using root = await tempFolder();
    await mkdir(root.join(".ace-sessions"));
    const path = root.join(".ace-sessions", fileOf("", "s"));
    await writeFile(path, '{"format":"acumen.skillbook","version":99}');
    const engine = autosaving(root.path);
    const call = { session_id: "s", samples: [{ question: "one" }] };
    expect(await engine.failure("ace.learn.sample", call)).toMatchObject({
      details: { reason: "not_a_skillbook" },
    });
    expect(await readFile(path, "utf8")).toContain('"version":99');
    expect(engine.registry.size).toBe(0);
  });

  it("refuses a link in place of its folder", async () => {
    await using root = await tempFolder();
    await using outside = await tempFolder();
    await symlink(outside.path, root.join(".ace-sessions"));
    const engine = autosaving(root.path);
    const call = { session_id: "s", samples: [{ question: "one" }] };
    expect(await engine.failure("ace.learn.sample", call)).toMatchObject({
      details: { reason: "is_a_link" },
    });
    expect(await readdir(outside.path)).toEqual([]);
  });

  it("lets the longest-idle session go when there are too many, and brings it back from its file", async () => {
    await using root = await tempFolder();
    const engine = autosaving(root.path, { maxSessions: 1 });
    await learn(engine, "a", "one");
    await learn(engine, "b", "two");
    expect(engine.registry.size).toBe(1);
    expect(await contents(engine, "a")).toEqual(["one"]);
  });
});
