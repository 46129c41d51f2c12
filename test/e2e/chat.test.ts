import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { chatPlace, HAS_SCRIPT, startChatProcess } from "./support/pseudo-terminal.ts";

const ESCAPE = "\u001B";

// Without `script` of util-linux nothing here can run.
describe.runIf(HAS_SCRIPT)("a chat on a pseudo-terminal", () => {
  test("asks before a command, runs it, shows what it printed, and leaves with /exit", async () => {
    await using place = await chatPlace({
      steps: [
        {
          text: "I try it.",
          toolCalls: [{ tool: "bash", input: { command: "echo made | tee made.txt; exit 3" } }],
        },
        { text: "That is all." },
      ],
    });
    await using chat = startChatProcess(place, ["--no-color"]);
    await chat.shows(place.workspace);
    await chat.shows("mode safe");
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("I try it.");
    await chat.shows("> bash echo made");
    await chat.shows("$ echo made | tee made.txt; exit 3");
    await chat.shows("No, never in this session");
    chat.type("\r");
    await chat.shows("failed, exit code 3, ");
    await chat.shows("| made");
    await chat.shows("That is all.");
    await chat.shows("tokens");
    await chat.shows("safe> ");
    chat.type("/exit\r");
    expect((await chat.exited).code).toBe(0);
    expect(await readFile(`${place.workspace}/made.txt`, "utf8")).toBe("made\n");
    // Nothing is coloured, and the marks for pastes are taken back.
    expect(chat.screen()).not.toMatch(new RegExp(`${ESCAPE}\\[[\\d;]*m`));
    expect(chat.screen().trimEnd().endsWith(`${ESCAPE}[?2004l`)).toBe(true);
  });

  test("Ctrl-C cancels a long command, the next prompt works, and a second Ctrl-C leaves with 130", async () => {
    await using place = await chatPlace({
      steps: [
        { toolCalls: [{ tool: "bash", input: { command: "echo $$ > pid; exec sleep 60" } }] },
        { text: "Another answer." },
      ],
    });
    await using chat = startChatProcess(place, ["--mode", "auto", "--trust-once"]);
    await chat.shows("auto> ");
    chat.type("run it\r");
    await chat.shows("> bash echo");
    while (!existsSync(`${place.workspace}/pid`)) await new Promise((done) => setTimeout(done, 10));
    const pid = Number(await readFile(`${place.workspace}/pid`, "utf8"));
    const startedAt = performance.now();
    chat.type("\u0003");
    await chat.shows("Cancelled.");
    // The contract says one second; a busy machine gets some more.
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await chat.shows("auto> ");
    chat.type("and now?\r");
    await chat.shows("Another answer.");
    await chat.shows("auto> ");
    chat.type("\u0003");
    await chat.shows("Ctrl-C again leaves.");
    await chat.shows("auto> ");
    chat.type("\u0003");
    expect((await chat.exited).code).toBe(130);
  });

  test("Ctrl-C behind a cancelled turn leaves at once, as at a question it cancels the turn", async () => {
    await using place = await chatPlace({
      steps: [{ toolCalls: [{ tool: "bash", input: { command: "touch never" } }] }],
    });
    await using chat = startChatProcess(place);
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("No, never in this session");
    chat.type("\u0003");
    await chat.shows("Cancelled.");
    await chat.shows("safe> ");
    chat.type("\u0003");
    expect((await chat.exited).code).toBe(130);
    expect(existsSync(`${place.workspace}/never`)).toBe(false);
  });

  test("/undo gives a file back, and /resume goes on with an earlier session", async () => {
    await using place = await chatPlace({
      steps: [
        { toolCalls: [{ tool: "write_file", input: { path: "a.txt", content: "new\n" } }] },
        { text: "It is written." },
      ],
      repeatLast: true,
    });
    const path = `${place.workspace}/a.txt`;
    await writeFile(path, "old\n");
    await using chat = startChatProcess(place, ["--mode", "auto", "--trust-once", "--no-color"]);
    await chat.shows("session ");
    await chat.shows("auto> ");
    const id = /session ([0-9A-Z]{26})/.exec(chat.screen())?.[1] ?? "";
    chat.type("write it\r");
    await chat.shows("ok, ");
    await chat.shows("+1 -1");
    await chat.shows("-old");
    await chat.shows("+new");
    await chat.shows("auto> ");
    expect(await readFile(path, "utf8")).toBe("new\n");
    chat.type("/undo\r");
    await chat.shows("restored ");
    expect(await readFile(path, "utf8")).toBe("old\n");
    await chat.shows("auto> ");
    chat.type("/new\r");
    await chat.shows("session ");
    await chat.shows("auto> ");
    expect(chat.screen().split(id)).toHaveLength(2);
    chat.type(`/resume ${id}\r`);
    await chat.shows(`session ${id}`);
    await chat.shows("you: write it");
    await chat.shows("It is written.");
    await chat.shows("auto> ");
    // Ctrl-D.
    chat.type("\u0004");
    expect((await chat.exited).code).toBe(0);
    // The session in which nobody said anything is gone.
    const names = await readdir(`${place.home}/sessions`, { recursive: true });
    expect(names.filter((name) => name.endsWith("meta.json"))).toEqual([
      expect.stringContaining(id),
    ]);
  });

  test("a paste of several lines is one prompt, and so are lines that end with a backslash", async () => {
    await using place = await chatPlace({
      steps: [
        { text: "Read.", expect: { lastUserIncludes: ["one\n\ttwo\nthree", "about this"] } },
        { text: "Both.", expect: { lastUserIncludes: ["first \nsecond"] } },
      ],
    });
    await using chat = startChatProcess(place);
    await chat.shows("safe> ");
    chat.type("\u001B[200~one\r\ttwo\rthree\u001B[201~ about this\r");
    await chat.shows("[paste 1: 3 lines] about this");
    await chat.shows("Read.");
    await chat.shows("safe> ");
    chat.type("first \\\r");
    await chat.shows("... ");
    chat.type("second\r");
    await chat.shows("Both.");
  });

  test("without a key it says how to get one and ends with 2", async () => {
    await using place = await chatPlace({ steps: [] });
    await using chat = startChatProcess(place, [], { model: "openai/gpt-4o-mini" });
    expect((await chat.exited).code).toBe(2);
    expect(chat.screen()).toContain("No key yet: `acumen setup`");
    expect(chat.screen()).toContain("acumen setup --model ollama/NAME");
  });

  test("on a dumb terminal questions are lines with numbers", async () => {
    await using place = await chatPlace({
      steps: [
        { toolCalls: [{ tool: "bash", input: { command: "echo made > made.txt" } }] },
        { text: "Done." },
      ],
    });
    await using chat = startChatProcess(place, [], { env: { TERM: "dumb" } });
    await chat.shows("safe> ");
    chat.type("go\r");
    await chat.shows("1  Yes, this once");
    await chat.shows("Number [1]: ");
    chat.type("1\r");
    await chat.shows("Done.");
    await chat.shows("safe> ");
    chat.type("/exit\r");
    expect((await chat.exited).code).toBe(0);
    expect(chat.screen()).not.toContain(ESCAPE);
  });
});
