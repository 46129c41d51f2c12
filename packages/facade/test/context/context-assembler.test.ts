import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createRedactor } from "@acumen/agent";
import { describe, expect, test } from "vitest";
import { ResourceNotFoundError, ValidationError } from "../../src/errors/domain-error.ts";
import type { FacadeSession } from "../../src/sessions/facade-session.ts";
import { planAt } from "../support/plan-at.ts";
import { CALLER, contextBench, droppedOf, filesOf } from "./support.ts";

const SHOP = {
  "README.md": "# Shop\n\nSells things.\n",
  "AGENTS.md": "Use tabs.\n",
  "src/cart.ts": "export class Cart {\n  total() {\n    return 0;\n  }\n}\n",
  "src/discount.ts": "export function discountFor(cart) {\n  return cart.total() * 0.1;\n}\n",
  "src/mail.ts": "export function sendMail() {}\n",
};

test("without parameters there is the default project, within 12,000 tokens", async () => {
  await using bench = await contextBench(SHOP);
  const context = await bench.ask();
  expect(context.budget).toMatchObject({
    limit: 12_000,
    reserved: 0,
    counter: "utf8-bytes/3.5",
    estimated: true,
  });
  expect(context.budget.used + context.budget.remaining).toBe(12_000);
  expect(filesOf(context)).toEqual({
    "README.md": "full",
    "src/cart.ts": "full",
    "src/discount.ts": "full",
    "src/mail.ts": "full",
  });
  const sources = context.fragments.map(({ source }) => source);
  expect(sources).toEqual(["instructions", "tools", "files", "files", "files", "files"]);
  expect(context.fragments[0]).toMatchObject({ content: "Use tabs.", trust: "untrusted" });
  expect(context.view).toBe("executor");
  expect(context.warnings).toEqual([]);
  expect(context.truncated).toBe(false);
});

test("the same inputs give the same context, and others another digest", async () => {
  await using bench = await contextBench(SHOP);
  const first = await bench.ask({ query: "discount" });
  const second = await bench.ask({ query: "discount" });
  expect({ ...second, context_id: first.context_id }).toEqual(first);
  expect(second.context_id).not.toBe(first.context_id);
  const others = [
    await bench.ask({ query: "cart" }),
    await bench.ask({ query: "discount", view: "reviewer" }),
    await bench.ask({ query: "discount", reserve_tokens: 1 }),
  ];
  await writeFile(bench.folder.join("shop/src/mail.ts"), "export const changed = 1;\n");
  others.push(await bench.ask({ query: "discount", include: ["**/*.ts"] }));
  await writeFile(bench.folder.join("shop/src/discount.ts"), "discount\n");
  others.push(await bench.ask({ query: "discount" }));
  expect(new Set([first, ...others].map(({ digest }) => digest)).size).toBe(6);
});

test("the same project elsewhere, for somebody else and in another process, gives the same digest", async () => {
  await using one = await contextBench(SHOP);
  await using two = await contextBench(SHOP);
  const other = { ...CALLER, principal: { ...CALLER.principal, owner: "other" }, requestId: "r2" };
  const asked = { query: "discount", sources: ["instructions", "files"] } as const;
  const [first, second] = [await one.ask(asked), await two.ask(asked, other)];
  expect(one.project).not.toBe(two.project);
  expect(second.digest).toBe(first.digest);
  // Of another process, at another time.
  expect(first.digest).toBe("6390159814112acdac67324aa0e1450b7f7e8b4fee370194dd602dd5407a27f0");
});

test("what has to do with the question comes before what has not", async () => {
  await using bench = await contextBench(SHOP);
  const context = await bench.ask({ query: "How is the discount made?", explain: true });
  const files = filesOf(context);
  expect(files).toMatchObject({ "src/discount.ts": "full", "src/mail.ts": "reference" });
  const best = context.fragments.find(({ uri }) => uri === "file:src/discount.ts");
  expect(best?.scores).toEqual({ bm25: 1, path: 0.5, recency: 0 });
  const plain = await bench.ask({ query: "How is the discount made?" });
  expect(plain.fragments.every(({ scores }) => scores === undefined)).toBe(true);
});

test("of a long file the places that matter are there, with their lines", async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `line number ${index + 1}`);
  lines[1_499] = "the needle is here";
  await using bench = await contextBench({ "long.txt": lines.join("\n") });
  const { fragments } = await bench.ask({ query: "needle", budget_tokens: 2_000 });
  const [excerpt] = fragments.filter(({ source }) => source === "files");
  expect(excerpt).toMatchObject({
    uri: "file:long.txt#L1495-L1505",
    detail: "excerpt",
    range: { start_line: 1_495, end_line: 1_505 },
    content: lines.slice(1_494, 1_505).join("\n"),
  });
});

describe("what is left out, and why", () => {
  test("secrets, binaries, large files, ignored ones and those of others", async () => {
    await using bench = await contextBench({
      ...SHOP,
      ".gitignore": "*.log\nbuild/\n",
      "out.log": "log",
      "build/made.js": "made",
      ".env": "KEY=value-of-the-key",
      "server.key": "key",
      "notes.txt": "-----BEGIN RSA PRIVATE KEY-----\nabc\n",
      "picture.png": Buffer.from([137, 80, 78, 71, 0, 1, 2]),
      "latin.bin": Buffer.alloc(100, 0xff),
      "huge.sql": "x".repeat(300 * 1024),
      "node_modules/a/index.js": "a",
      "twin.md": SHOP["README.md"],
    });
    const context = await bench.ask();
    expect(droppedOf(context)).toEqual({
      "out.log": "excluded",
      "build/": "excluded",
      ".env": "denied",
      "server.key": "denied",
      "notes.txt": "denied",
      "picture.png": "binary",
      "latin.bin": "binary",
      "huge.sql": "too_large",
      node_modules: "excluded",
      "twin.md": "duplicate",
    });
    expect(JSON.stringify(context)).not.toContain("value-of-the-key");
  });

  test("what lies outside, also when a link leads there", async () => {
    await using bench = await contextBench({ ...SHOP, "inner/a.txt": "inner text" });
    const { folder } = bench;
    await mkdir(folder.join("other"));
    await writeFile(folder.join("other/secret.txt"), "outside text");
    await symlink(folder.join("other/secret.txt"), folder.join("shop/linked.txt"));
    await symlink(folder.join("other"), folder.join("shop/linked"));
    await symlink("inner/a.txt", folder.join("shop/near.txt"));
    await symlink("nowhere", folder.join("shop/broken"));
    const context = await bench.ask({ budget_tokens: 50_000 });
    expect(JSON.stringify(context)).not.toContain("outside text");
    expect(droppedOf(context)).toMatchObject({
      "linked.txt": "denied",
      linked: "denied",
      broken: "denied",
      "near.txt": "duplicate",
    });
  });

  test("records of programs, also when a link leads there", async () => {
    await using bench = await contextBench({
      ...SHOP,
      ".acumen/skillbook.json": "{}",
      ".git/config": "[remote]\nurl = https://ann:word@example.com/x",
    });
    await symlink(".git/config", bench.folder.join("shop/config.txt"));
    const context = await bench.ask();
    expect(JSON.stringify(context)).not.toContain("example.com");
    expect(droppedOf(context)).toMatchObject({ "config.txt": "denied" });
  });

  test("what texts show of keys", async () => {
    const key = `ghp_${"a1B2".repeat(9)}`;
    await using bench = await contextBench({ "a.ts": `const token = "${key}";\n` });
    const context = await bench.ask();
    expect(filesOf(context)).toEqual({ "a.ts": "full" });
    expect(JSON.stringify(context)).not.toContain(key);
  });
});

describe("pins", () => {
  test("are there whole, whatever the question is", async () => {
    await using bench = await contextBench(SHOP);
    const context = await bench.ask({
      query: "discount",
      pinned: ["src/mail.ts", "./src/mail.ts"],
      sources: ["plan"],
    });
    expect(context.fragments).toMatchObject([
      { uri: "file:src/mail.ts", pinned: true, detail: "full", content: SHOP["src/mail.ts"] },
    ]);
  });

  test.each([
    ["that are not there", "src/none.ts"],
    ["outside", "../other.txt"],
    ["that are secret", ".env"],
    ["in the records of git", ".git/config"],
    ["that are folders", "src"],
    ["that are no text", "data.bin"],
    ["with half a character", "\ud800"],
  ])("%s are refused with their place", async (_what, path) => {
    await using bench = await contextBench({
      ...SHOP,
      ".env": "A=b",
      ".git/config": "c",
      "data.bin": Buffer.from([0, 1, 2]),
    });
    const asked = bench.ask({ pinned: ["README.md", path] });
    await expect(asked).rejects.toThrow(ValidationError);
    await expect(asked).rejects.toMatchObject({ details: { issues: [{ path: ["pinned", 1] }] } });
  });

  test.each([
    ["ignored", "local.json", /"local\.json" cannot be pinned: is ignored/],
    [
      "in an ignored folder",
      "out/deep/made.js",
      /"out\/deep\/made\.js" cannot be pinned: is ignored/,
    ],
    ["links to what is ignored", "link.json", /"link\.json" cannot be pinned: is ignored/],
    ["of others", "node_modules/x/i.js", /lies in node_modules, which no context looks into/],
  ])("that are %s are refused, also when no other file is wanted", async (_what, path, why) => {
    await using bench = await contextBench({
      ...SHOP,
      ".gitignore": "local.json\nout/\nnode_modules/\n",
      "local.json": "{}",
      "out/deep/made.js": "made",
      "node_modules/x/i.js": "theirs",
    });
    await symlink("local.json", bench.folder.join("shop/link.json"));
    for (const sources of [["files"], ["plan"]] as const) {
      const asked = bench.ask({ pinned: ["src/mail.ts", path], sources });
      await expect(asked).rejects.toThrow(ValidationError);
      await expect(asked).rejects.toThrow(why);
      await expect(asked).rejects.toMatchObject({ details: { issues: [{ path: ["pinned", 1] }] } });
    }
  });

  test("that do not fit are refused, and not lost", async () => {
    await using bench = await contextBench({ "big.txt": "word ".repeat(2_000) });
    const asked = bench.ask({ pinned: ["big.txt"], budget_tokens: 1_000 });
    await expect(asked).rejects.toThrow(/pinned files take \d+ tokens, and there are 1000/);
  });
});

test("globs choose files", async () => {
  await using bench = await contextBench(SHOP);
  const files = await bench.ask({ include: ["src/**"], exclude: ["mail.*"], sources: ["files"] });
  expect(Object.keys(filesOf(files))).toEqual(["src/cart.ts", "src/discount.ts"]);
  expect(droppedOf(files)).toEqual({ "src/mail.ts": "excluded" });
});

test("more reserved than there is, is refused", async () => {
  await using bench = await contextBench(SHOP);
  await expect(bench.ask({ budget_tokens: 256, reserve_tokens: 256 })).rejects.toThrow(/reserve/);
});

const SKILL = "Round totals of the cart to cents.";
const BOOK = {
  format: "acumen.skillbook",
  version: 1,
  skills: {
    "cart-00001": {
      id: "cart-00001",
      section: "cart",
      content: SKILL,
      justification: null,
      evidence: null,
      helpful: 0,
      harmful: 0,
      neutral: 0,
      created_at: "2026-12-01T01:04:53.059+00:00",
      updated_at: "2026-12-01T01:04:53.059+00:00",
      status: "active",
      sources: [
        {
          trace_uid: "session:unknown",
          source_system: "session",
          trace_id: "unknown",
          relation: "seed",
          origin: "session",
        },
      ],
    },
  },
  sections: { cart: ["cart-00001"] },
  next_id: 1,
  similarity_decisions: {},
};

test("skills of machine and trusted project are there by their ids", async () => {
  await using bench = await contextBench(SHOP);
  await writeFile(bench.folder.join("home/skillbook.json"), JSON.stringify(BOOK));
  await mkdir(bench.folder.join("shop/.acumen"));
  await writeFile(bench.folder.join("shop/.acumen/skillbook.json"), JSON.stringify(BOOK));
  const { fragments } = await bench.ask({ query: "totals of the cart", sources: ["skills"] });
  expect(fragments).toMatchObject([
    { uri: "skill:cart-00001", content: SKILL, trust: "trusted" },
    { uri: "skill:ws-cart-00001", content: SKILL, trust: "untrusted" },
  ]);
});

const SESSION: FacadeSession = {
  session_id: "01JSESSION00000000000000000",
  owner: "local",
  status: "open",
  actor_name: null,
  title: "Fix the discount",
  profile: null,
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
  closed_at: null,
  version: 1,
};

describe("of a plan or session", () => {
  async function planBench() {
    const bench = await contextBench(SHOP);
    const project = await bench.projects.find(undefined);
    const plan = planAt("strategize/complete", {
      project,
      session_id: SESSION.session_id,
      strategy: {
        rationale: "The discount is wrong.",
        steps: [{ content: "Change discount.ts", status: "pending" }],
      },
    });
    const about = { plan_id: plan.plan_id, session_id: SESSION.session_id };
    await bench.queue.commit({
      sessions: [SESSION],
      plans: [plan],
      events: {
        owner: "local",
        drafts: Array.from({ length: 40 }, (_, index) => ({
          event_type: "x.step",
          data: { index },
          ...about,
        })),
      },
    });
    return { bench, plan };
  }

  test("there is what is to be done, what was decided and what happened", async () => {
    const { bench, plan } = await planBench();
    await using _bench = bench;
    const context = await bench.ask({ plan_id: plan.plan_id });
    const uris = context.fragments.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining([
        `plan:${plan.plan_id}#action`,
        `plan:${plan.plan_id}#status`,
        `plan:${plan.plan_id}#strategy`,
        `plan:${plan.plan_id}#steps`,
      ]),
    );
    const history = context.fragments.filter(({ source }) => source === "history");
    expect(history[0]).toMatchObject({ title: "10 earlier events by type", content: "x.step: 10" });
    expect(history.slice(1).map(({ content }) => content)).toEqual(
      Array.from({ length: 30 }, (_, index) => JSON.stringify({ index: index + 10 })),
    );
    expect((await bench.ask({ plan_id: plan.plan_id })).digest).toBe(context.digest);
  });

  test("an event says that a context was made", async () => {
    const { bench, plan } = await planBench();
    await using _bench = bench;
    const { fragments, budget, dropped } = await bench.ask({ plan_id: plan.plan_id });
    const { events } = await bench.store.events({
      owner: "local",
      planId: plan.plan_id,
      types: ["context.built"],
      limit: 10,
    });
    expect(events).toMatchObject([
      {
        session_id: SESSION.session_id,
        data: { fragments: fragments.length, tokens: budget.used, dropped: dropped.length },
      },
    ]);
  });

  test("a session has its plans", async () => {
    const { bench, plan } = await planBench();
    await using _bench = bench;
    const context = await bench.ask({ session_id: SESSION.session_id, sources: ["plan"] });
    expect(context.fragments).toMatchObject([
      { content: expect.stringContaining(`Plan ${plan.plan_id}: ${plan.action.name}`) },
    ]);
  });

  test("those of another owner are not there", async () => {
    const { bench, plan } = await planBench();
    await using _bench = bench;
    const other = { ...CALLER, principal: { ...CALLER.principal, owner: "other" } };
    for (const input of [{ plan_id: plan.plan_id }, { session_id: SESSION.session_id }]) {
      await expect(bench.ask(input, other)).rejects.toThrow(ResourceNotFoundError);
    }
    await expect(bench.ask({ plan_id: "none" })).rejects.toThrow(ResourceNotFoundError);
    await expect(bench.ask({ project: "local/none" })).rejects.toThrow(ResourceNotFoundError);
  });
});

test("after an abort nothing is committed", async () => {
  await using bench = await contextBench(SHOP);
  const abort = new AbortController();
  const asked = bench.ask({}, { ...CALLER, signal: abort.signal });
  abort.abort();
  await expect(asked).rejects.toMatchObject({ code: "CORE_ABORTED" });
  const late = new AbortController();
  const redact = createRedactor();
  const atTheEnd = (text: string): string => {
    late.abort();
    return redact(text);
  };
  await using other = await contextBench(SHOP, { redact: Object.assign(atTheEnd, redact) });
  const nearlyDone = other.ask({ sources: ["tools"] }, { ...CALLER, signal: late.signal });
  await expect(nearlyDone).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect((await other.store.eventBounds("local")).newest).toBe(0);
  expect((await bench.store.eventBounds("local")).newest).toBe(0);
});
