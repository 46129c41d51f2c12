import { existsSync } from "node:fs";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import { saveSkillbook, Skillbook } from "@acumen/ace";
import { describe, expect, test } from "vitest";
import { meaningOf, SLASH_COMMANDS } from "../../src/chat/slash-commands/slash-commands.ts";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { lastRecord } from "../support/run-main.ts";
import { type ChatScreen, chatScreen, type ChatScreenOptions } from "./chat-screen.ts";

const AUTO = ["--mode", "auto", "--trust-once"];
const WRITE = { toolCalls: [{ tool: "write_file", input: { path: "a.txt", content: "new\n" } }] };

async function begun(
  bench: AgentBench,
  args: readonly string[] = [],
  options: ChatScreenOptions = {},
): Promise<ChatScreen> {
  const chat = chatScreen(bench, args, options);
  await chat.shows("/help lists commands");
  await chat.shows("> ");
  return chat;
}

/** Leaves, and gives the events that were stored. */
async function eventsOf(chat: ChatScreen, bench: AgentBench): Promise<Record<string, unknown>[]> {
  chat.type("/exit\r");
  await chat.exitCode;
  const ids = [...chat.text().matchAll(/session ([0-9A-Z]{26})/g)];
  const shown = await bench.acumen(["sessions", "show", ids.at(-1)?.[1] ?? "", "--json"]);
  return lastRecord(shown)["events"] as Record<string, unknown>[];
}

describe("a line", () => {
  test.each([
    ["/help", "help", ""],
    ["  /MODE auto ", "mode", "auto"],
    ["/feedback bad run the\nlinter", "feedback", "bad run the\nlinter"],
    ["/quit", "exit", ""],
  ])("%j is a command", (line, name, words) => {
    expect(meaningOf(line)).toMatchObject({ type: "command", command: { name }, words });
  });

  test.each([
    ["/hlep", "help"],
    ["/perm", "permissions"],
    ["/sesions now", "sessions"],
  ])("%j looks mistyped and is not sent", (line, meant) => {
    expect(meaningOf(line)).toMatchObject({ type: "typo", meant });
  });

  test.each(["/etc/hosts says what?", "/review-everything", "what is /help", "//", "/", "hello"])(
    "%j is a prompt",
    (line) => {
      expect(meaningOf(line)).toEqual({ type: "prompt" });
    },
  );
});

test("/help lists every command and fits 80 columns; a typo gets a suggestion", async () => {
  await using bench = await agentBench({ steps: [] });
  await using chat = await begun(bench);
  const shown = await chat.line("/help");
  for (const { name } of SLASH_COMMANDS) expect(shown).toContain(`/${name}`);
  for (const line of shown.split("\n").slice(1, -1)) expect(line.length).toBeLessThanOrEqual(80);
  expect(await chat.line("/hepl")).toContain("There is no /hepl. Did you mean /help?");
});

test("/status, /model and /mode say what holds and change it; the log keeps it", async () => {
  await using bench = await agentBench({ steps: [{ text: "Hello." }] });
  await using chat = await begun(bench);
  await chat.line("hi");
  expect(await chat.line("/status")).toMatch(/context {3}\d+[^\n]*\nused [^\n]* in 1 turn/);
  expect(await chat.line("/model")).toContain(`Model ${bench.model}.`);
  expect(await chat.line("/model builtin/recall")).toContain("CLI_NO_MODEL");
  expect(await chat.line("/model nonsense/x")).toContain("MODEL_FAILED");
  expect(await chat.line("/mode fast")).toContain("The mode is one of auto, safe, manual.");
  expect(await chat.line("/mode manual")).toContain("Mode manual: everything is asked.");
  expect(chat.text()).toContain("manual> ");
  expect(await chat.line("/mode auto")).toContain("acts as safe");
  const events = await eventsOf(chat, bench);
  expect(events.filter(({ type }) => type === "MODE_CHANGED")).toHaveLength(2);
});

test("/thought says how much the model thinks and changes it, for the model as it is", async () => {
  const steps = [{ expect: { thoughtLevel: "high" }, text: "Thought." }];
  await using bench = await agentBench({ thoughtLevels: ["low", "high"], steps });
  await using chat = await begun(bench, ["--thought-level", "low"]);
  expect(chat.text()).toContain(", thought level low,");
  const said = await chat.line("/thought");
  expect(said).toContain("Thought level low.");
  expect(said).toContain("takes default, low, high.");
  expect(await chat.line("/thought much")).toContain("is default or one of none, minimal");
  expect(await chat.line("/thought max")).toContain("low, high");
  expect(await chat.line("/thought high")).toContain("Thought level high.");
  expect(await chat.line("/status")).toContain(", thought level high");
  expect(await chat.line("go")).toContain("Thought.");
  expect(await chat.line("/model ollama/plain")).toContain("no thought level high");
  expect(await chat.line("/thought")).toContain("None can be chosen");
  const levels = (await eventsOf(chat, bench)).flatMap(({ type, payload }) =>
    type === "MODEL_CHANGED" ? [(payload as { thought_level?: string }).thought_level] : [],
  );
  expect(levels).toEqual(["high", undefined]);
});

test("/diff shows what changed since the beginning, /undo takes it back, both know when there is nothing", async () => {
  await using bench = await agentBench({ steps: [WRITE, { text: "Done." }] });
  await using chat = await begun(bench, AUTO);
  await writeFile(`${bench.workspace}/a.txt`, "old\n");
  expect(await chat.line("/diff")).toContain("changed no file");
  const none = "Nothing to undo: no file was changed in this session.";
  expect(await chat.line("/undo")).toContain(none);
  await chat.line("go");
  expect(await chat.line("/diff")).toMatch(/-old\n {2}\+new\n/);
  expect(await chat.line("/undo")).toContain("restored ");
  expect(await readFile(`${bench.workspace}/a.txt`, "utf8")).toBe("old\n");
  expect(await chat.line("/diff")).toContain("changed no file");
  const nothing = await chat.line("/undo");
  expect(nothing).toContain(
    "Nothing to undo: every change of this session was taken back already.",
  );
  expect(nothing).not.toContain("AGENT_UNDO_REFUSED");
});

test("/permissions lists what was answered for good and forgets it, so that it is asked again", async () => {
  await using bench = await agentBench({
    steps: [WRITE, { text: "Done." }, WRITE, { text: "Again." }],
  });
  await using chat = await begun(bench);
  expect(await chat.line("/permissions")).toContain("Nothing was answered for good");
  expect(await chat.line("/permissions revoke 1")).toContain("Nothing is remembered");
  chat.type("go\r");
  await chat.shows("never in this session");
  chat.type("j\r");
  await chat.shows("safe> ");
  expect(await chat.line("/permissions")).toContain("1  always allow write_file in this workspace");
  expect(await chat.line("/permissions revoke 2")).toContain("a number from 1 to 1");
  expect(await chat.line("/permissions revoke all")).toContain("Forgotten: always allow");
  chat.type("go\r");
  await chat.shows("never in this session");
  chat.type("\u0003");
  await chat.shows("safe> ");
  const commands = (await eventsOf(chat, bench)).filter(
    ({ payload }) => (payload as { kind?: string }).kind === "command",
  );
  expect(commands).toMatchObject([{ payload: { text: expect.stringContaining("Forgotten") } }]);
});

test("/permissions lists the rules that the session began with, whatever the files say by now", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.write("home/config.json", '{"permissions":{"deny":["bash(rm *)"]}}');
  await bench.write("work/.acumen/config.json", '{"permissions":{"ask":["bash(mv *)"]}}');
  await using chat = await begun(bench, ["--trust-once"]);
  await bench.write("home/config.json", '{"permissions":{"allow":["bash"]}}');
  await bench.write("work/.acumen/config.json", "no settings at all");
  expect(await chat.line("/permissions")).toContain("deny bash(rm *)\n  ask bash(mv *)\n");
});

test("/plan and /skills show the last ones", async () => {
  const entries = [{ content: "look around", status: "completed" }];
  await using bench = await agentBench({
    steps: [{ toolCalls: [{ tool: "update_plan", input: { entries } }] }, { text: "Done." }],
  });
  const book = new Skillbook();
  const skill = { type: "ADD", section: "habits", content: "Look twice.\u001B[2J" } as const;
  book.apply([skill], { origin: "session" });
  await saveSkillbook(book, `${bench.home}/skillbook.json`);
  await using chat = await begun(bench);
  expect(await chat.line("/plan")).toContain("No plan.");
  expect(await chat.line("/skills")).toContain("was given no skills");
  expect(await chat.line("go")).toContain("1 skill applied; /feedback good|bad [TEXT] rates");
  expect(await chat.line("/plan")).toContain("[x] look around");
  expect(await chat.line("/skills")).toContain("Look twice.");
});

test("/feedback rates the last turn; without a rating it says how", async () => {
  await using bench = await agentBench({ steps: [{ text: "Done." }] });
  await bench.write("home/config.json", '{"learning":{"mode":"off"}}');
  await using chat = await begun(bench);
  expect(await chat.line("/feedback")).toContain("/feedback good or /feedback bad");
  expect(await chat.line("/feedback good")).toContain("AGENT_FEEDBACK_INVALID");
  await chat.line("go");
  expect(await chat.line("/feedback bad too short")).toContain("Rated bad");
  const events = await eventsOf(chat, bench);
  expect(events.at(-1)).toMatchObject({
    type: "FEEDBACK",
    payload: { rating: "bad", text: "too short" },
  });
});

test("/feedback whose lesson the model could not give says how it can still be had", async () => {
  await using bench = await agentBench({ steps: [{ text: "Done." }] });
  await using chat = await begun(bench);
  await chat.line("go");
  const said = await chat.line("/feedback good");
  expect(said).toContain("Rated good");
  expect(said).toContain("learning.model");
});

test("/feedback in a chat that the agent opened puts no skills into the book", async () => {
  await using bench = await agentBench({ steps: [{ text: "Done." }] });
  const learning = { mode: "auto", model: "builtin/recall" };
  await bench.write("home/config.json", JSON.stringify({ learning }));
  await using chat = await begun(bench, [], { variables: { ACUMEN_AGENT: "1" } });
  await chat.line("go");
  expect(await chat.line("/feedback good")).toContain("CLI_REFUSED_TO_AGENT");
  await expect(access(`${bench.home}/skillbook.json`)).rejects.toThrow("ENOENT");
});

test("/compact sums up, or says that there is nothing to sum up", async () => {
  await using bench = await agentBench({ steps: [{ text: "Done." }], repeatLast: true });
  await using chat = await begun(bench);
  expect(await chat.line("/compact")).toContain("nothing that could be compacted");
  for (let index = 0; index < 4; index += 1) await chat.line(`question ${"word ".repeat(200)}`);
  expect(await chat.line("/compact")).toMatch(/was compacted: \d+ -> \d+ tokens/);
});

test("/new begins anew, /sessions lists, /resume offers the others or takes an id", async () => {
  await using bench = await agentBench({ steps: [{ text: "One." }], repeatLast: true });
  await using chat = await begun(bench);
  expect(await chat.line("/resume")).toContain("no other session");
  await chat.line("the first question");
  const first = /session ([0-9A-Z]{26})/.exec(chat.text())?.[1] ?? "";
  expect(await chat.line("/new")).toMatch(/session [0-9A-Z]{26}/);
  await chat.line("the second question");
  expect(await chat.line("/sessions")).toMatch(/the second question[\s\S]*the first question/);
  chat.type("/resume\r");
  await chat.shows("Which one?");
  await chat.shows("navigate");
  chat.type("\r");
  await chat.shows(`session ${first}`);
  await chat.shows("you: the first question");
  await chat.shows("safe> ");
  expect(await chat.line("/resume 01KAFV3W5E9Q2T8M6X4Z7B1C0D")).toContain(
    "AGENT_SESSION_NOT_FOUND",
  );
  // It stays where it was.
  expect(await chat.line("/status")).toContain(first);
});

test("/trust asks, reads the folder's settings at once, and is known to the next chat", async () => {
  await using bench = await agentBench({ steps: [WRITE, { text: "Done." }] });
  await using chat = await begun(bench);
  await mkdir(`${bench.workspace}/.acumen`);
  await writeFile(
    `${bench.workspace}/.acumen/config.json`,
    '{"permissions":{"deny":["write_file(a.txt)"]}}',
  );
  chat.type("/trust\r");
  await chat.shows("would bring settings");
  await chat.shows("Trust this folder");
  chat.type("y");
  await chat.shows("is trusted as it is now");
  await chat.shows("safe> ");
  expect(await chat.line("go")).toContain("rejected");
  expect(existsSync(`${bench.workspace}/a.txt`)).toBe(false);
  expect(await chat.line("/trust")).toContain("This folder is trusted.");
  chat.type("/exit\r");
  await chat.exitCode;
  await using next = chatScreen(bench);
  await next.shows("(trusted)");
});

test("/trust of a folder whose settings are no use says why; the folder stays untrusted and the session open", async () => {
  await using bench = await agentBench({ steps: [{ text: "Still here." }], repeatLast: true });
  await using chat = await begun(bench);
  await bench.write("work/.acumen/config.json", '{"permissions":{"allow":["bash"]}}');
  const refused = await chat.line("/trust");
  expect(refused).toContain("It can't be trusted: CLI_SETTINGS_FILE_INVALID");
  await bench.write("work/.acumen/config.json", '{"permissions":{"deny":["bash(rm"]}}');
  expect(await chat.line("/trust")).toContain("It can't be trusted: AGENT_RULE_INVALID");
  await bench.write("work/.acumen/config.json", "{}");
  await bench.write("work/.acumen/workspace.json", '{"enabledMcpServers":1}');
  expect(await chat.line("/trust")).toContain("It can't be trusted:");
  await bench.write("work/.acumen/workspace.json", "{}");
  await bench.write("work/.acumen/config.json", '{"permissions":{"deny":["bash(rm"]}}');
  expect(await chat.line("hi")).toContain("Still here.");
  // Trusted by another process meanwhile: the session is kept all the same.
  await bench.acumen(["trust", bench.workspace]);
  expect(await chat.line("/trust")).toContain("AGENT_RULE_INVALID");
  expect(await chat.line("hi")).toContain("Still here.");
});

test("a chat that a child of the agent opens asks for no trust and takes no mode auto", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.run(["first", "--mode", "auto"]);
  const [stored] = lastRecord(await bench.acumen(["sessions", "list", "--json"]))["sessions"] as {
    session_id: string;
  }[];
  await bench.write("work/.acumen/config.json", "{}");
  const variables = { ACUMEN_AGENT: "1" };
  await using chat = chatScreen(bench, [], { variables });
  await chat.shows("is not trusted.");
  await chat.shows("/help lists commands");
  await chat.shows("safe> ");
  expect(chat.text()).not.toContain("Trust this folder");
  expect(await chat.line("/trust")).toContain("CLI_REFUSED_TO_AGENT");
  expect(await chat.line("/mode auto")).toContain("CLI_REFUSED_TO_AGENT");
  expect(await chat.line(`/resume ${stored?.session_id}`)).toContain("CLI_REFUSED_TO_AGENT");
  expect(await chat.line("/mode manual")).toContain("everything is asked");
  for (const flags of [["--trust-once"], ["--mode", "auto"]]) {
    const refused = chatScreen(bench, flags, { variables });
    expect(await refused.exitCode).toBe(2);
    expect(refused.errors()).toContain("CLI_REFUSED_TO_AGENT");
  }
});
