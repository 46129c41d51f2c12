import { silentLogger } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Arrivals } from "../../../src/integrations/mcp/arrivals.ts";
import { SessionRegistry } from "../../../src/integrations/mcp/registry.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { type TestEngine, testEngine } from "./support/engine.ts";
import { startLineServer } from "./support/line-server.ts";
import { addSkills, askResult, learnReport, stubFactory } from "./support/stub-runner.ts";

const stub = () =>
  stubFactory((book) => ({
    ask: async () => ({ ...askResult, skillCount: book.size }),
    learn: async (samples) => {
      // Slower than any look-up of a path.
      await new Promise((resolve) => setTimeout(resolve, 30));
      addSkills(book, ...samples.map(({ question }) => question));
      return learnReport;
    },
  }));

function learning(root: string, rest: object = {}): TestEngine {
  return testEngine({ createRunner: stub().create, config: { skillbookRoot: root, ...rest } });
}

const learn = (engine: TestEngine, question: string) =>
  engine.reply("ace.learn.sample", { session_id: "s", samples: [{ question }] });
const file = { session_id: "s", path: "sub/a.json" };

async function contents(engine: TestEngine): Promise<string[]> {
  const { skills } = await engine.reply("ace.skillbook.get", { session_id: "s" });
  return (skills as { content: string }[]).map(({ content }) => content).toSorted();
}

describe("calls of one session that are sent without waiting", () => {
  it.each([false, true])("save, then load of the same name (autosave %s)", async (autosave) => {
    await using root = await tempFolder();
    const engine = learning(root.path, { autosave });
    const replies = await Promise.all([
      learn(engine, "one"),
      engine.reply("ace.skillbook.save", file),
      engine.reply("ace.skillbook.load", file),
      engine.reply("ace.ask", { session_id: "s", question: "q" }),
    ]);
    expect(replies[1]).toMatchObject({ saved_skill_count: 1 });
    expect(replies[2]).toMatchObject({ skill_count: 1 });
    expect(replies[3]).toMatchObject({ skill_count: 1 });
  });

  it.each([false, true])(
    "learn, save, load: the session is not set back to the older file (autosave %s)",
    async (autosave) => {
      await using root = await tempFolder();
      const engine = learning(root.path, { autosave });
      await learn(engine, "one");
      await engine.reply("ace.skillbook.save", file);
      await Promise.all([
        learn(engine, "two"),
        engine.reply("ace.skillbook.save", file),
        engine.reply("ace.skillbook.load", file),
      ]);
      expect(await contents(engine)).toEqual(["one", "two"]);
    },
  );

  it("ask does not overtake the load before it, nor save a learn that restores the session", async () => {
    await using root = await tempFolder();
    const book = new Skillbook();
    addSkills(book, "one", "two", "three");
    await writeFile(root.join("b.json"), JSON.stringify(book.toRecord()));
    const first = learning(root.path, { autosave: true });
    const [, asked] = await Promise.all([
      first.reply("ace.skillbook.load", { session_id: "s", path: "b.json" }),
      first.reply("ace.ask", { session_id: "s", question: "q" }),
    ]);
    expect(asked).toMatchObject({ skill_count: 3 });
    const later = learning(root.path, { autosave: true });
    const [saved] = await Promise.all([
      later.reply("ace.skillbook.save", file),
      learn(later, "four"),
    ]);
    expect(saved).toMatchObject({ saved_skill_count: 3 });
  });

  it("are kept in order over the protocol", async () => {
    await using root = await tempFolder();
    const config = { skillbookRoot: root.path };
    await using server = await startLineServer({ createRunner: stub().create, config });
    await server.initialize();
    const samples = [{ question: "one" }];
    const [, , loaded] = await Promise.all([
      server.call("ace.learn.sample", { session_id: "s", samples }),
      server.call("ace.skillbook.save", file),
      server.call("ace.skillbook.load", file),
    ]);
    expect(loaded).toHaveProperty("result.structuredContent.skill_count", 1);
  });

  it("a name that an earlier save made a folder of is judged when its turn comes", async () => {
    await using root = await tempFolder();
    const engine = learning(root.path);
    const [, , refused] = await Promise.all([
      learn(engine, "one"),
      engine.reply("ace.skillbook.save", { session_id: "s", path: "a.json/b.json" }),
      engine.failure("ace.skillbook.save", { session_id: "s", path: "a.json" }),
    ]);
    expect(refused).toMatchObject({ details: { reason: "not_a_file" } });
  });
});

describe("a path that is refused", () => {
  it("waits for no work of its session", async () => {
    await using root = await tempFolder();
    const engine = learning(root.path);
    const order: string[] = [];
    await Promise.all([
      learn(engine, "one").then(() => order.push("learned")),
      engine
        .failure("ace.skillbook.save", { session_id: "s", path: "../x.json" })
        .then(() => order.push("refused")),
    ]);
    expect(order).toEqual(["refused", "learned"]);
  });

  it("makes no session, also for a file that cannot be loaded, and drives none away", async () => {
    await using root = await tempFolder();
    await mkdir(root.join("folder"));
    const engine = learning(root.path, { maxSessions: 1 });
    await engine.reply("ace.ask", { session_id: "old", question: "q" });
    for (const path of ["missing.json", "folder", "../x.json"])
      await engine.failure("ace.skillbook.load", { session_id: "s", path });
    expect(engine.registry.size).toBe(1);
    await engine.reply("ace.skillbook.get", { session_id: "old" });
  });
});

describe("SessionRegistry", () => {
  it("brings a session back for which a failed one made no use of the room, still the first to go", async () => {
    const sessions = new SessionRegistry({ ttlSeconds: 9, maxSessions: 2, logger: silentLogger });
    const establish = { create: true };
    for (const id of ["a", "b"]) await sessions.use(id, establish, async (s) => s.establish());
    const failing = sessions.use("c", establish, async () => {
      throw new Error("no model");
    });
    await expect(failing).rejects.toThrow("no model");
    await sessions.use("d", establish, async (session) => session.establish());
    const gone = sessions.use("a", { create: false }, async () => undefined);
    await expect(gone).rejects.toMatchObject({ code: "ACE_MCP_SESSION_NOT_FOUND" });
    await sessions.use("b", { create: false }, async () => undefined);
  });
});

describe("Arrivals", () => {
  it("lets no call overtake one that still looks something up, and keeps keys apart", async () => {
    const arrivals = new Arrivals();
    const order: string[] = [];
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const pass = (key: string, name: string, checks?: () => Promise<void>) =>
      arrivals.pass(key, checks, () => void order.push(name), {});
    const calls = [
      pass("a", "slow", () => opened),
      pass("a", "second"),
      pass("a", "third", async () => undefined),
      pass("b", "other"),
    ];
    await calls[3];
    open();
    await Promise.all(calls);
    expect(order).toEqual(["other", "slow", "second", "third"]);
  });
});

describe("a save that fails", () => {
  it("leaves the book as it was, also when it had merged what others wrote", async () => {
    await using root = await tempFolder();
    const [first, second] = [learning(root.path), learning(root.path)];
    await learn(first, "one");
    await first.reply("ace.skillbook.save", file);
    await second.reply("ace.skillbook.load", file);
    await learn(second, "two");
    await second.reply("ace.skillbook.save", file);
    const before = await readFile(root.join("sub", "a.json"), "utf8");
    const { writeBook } = await import("../../../src/integrations/mcp/book-files.ts");
    const target = {
      path: root.join("sub", "a.json"),
      makeFolder: async () => undefined,
      // Reading is allowed, writing is not.
      check: async (_handle: unknown, path: string) => {
        if (path !== root.join("sub", "a.json")) throw new Error("no space");
      },
    };
    const writing = first.registry.use("s", { create: false }, async (session) =>
      writeBook(session, target, new AbortController().signal),
    );
    await expect(writing).rejects.toThrow();
    expect(await contents(first)).toEqual(["one"]);
    expect(await readFile(root.join("sub", "a.json"), "utf8")).toBe(before);
    expect(await first.call("ace.skillbook.save", file)).toMatchObject({
      meta: { "acumen/save": { mode: "merged" } },
    });
    expect(await contents(first)).toEqual(["one", "two"]);
  });
});
