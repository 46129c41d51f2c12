import { CACHE_MARK, type ModelMessages } from "@acumen/models";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../src/conversation/conversation.ts";
import type { ConversationTarget } from "../../src/conversation/model-parts.ts";
import { textBlock } from "../../src/content/content-block.ts";
import { LogBuilder } from "./log-builder.ts";

const OWN = { provider: "anthropic", model: "claude-x" };
const TARGET: ConversationTarget = { ...OWN, vision: true };
const OTHER: ConversationTarget = { provider: "openai", model: "gpt-x", vision: false };
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function plain(log: LogBuilder, target = TARGET): ModelMessages {
  return conversationOf(log.events, target).map(
    ({ providerOptions: _marks, ...rest }) => rest as ModelMessages[number],
  );
}

function textsOf(messages: ModelMessages): string {
  return JSON.stringify(messages);
}

test("what was asked outside of turns, such as a command, is for people", () => {
  const log = new LogBuilder().user("go").step().say("Done.");
  const [asked] = log.events;
  if (asked === undefined) throw new Error("nothing was asked");
  const command = { ...asked, turn_id: null, seq: log.events.length + 1 };
  expect(conversationOf([...log.events, command], TARGET)).toEqual(
    conversationOf(log.events, TARGET),
  );
});

describe("a step", () => {
  test("is one assistant message in the order of the log, and its results one tool message in the order of the calls", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .say("thinking", {
        kind: "reasoning",
        made_by: OWN,
        provider_metadata: { anthropic: { signature: "s1" } },
      })
      .say("I look.", { made_by: OWN })
      .call("a", "read_file", { path: "x" }, { made_by: OWN })
      .call("b", "bash", { command: "ls" }, { made_by: OWN })
      .result("b", "file")
      .result("a", "content")
      .step()
      .say("Done.");
    expect(plain(log)).toEqual([
      { role: "user", content: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        content: [
          {
            type: "reasoning",
            text: "thinking",
            providerOptions: { anthropic: { signature: "s1" } },
          },
          { type: "text", text: "I look." },
          { type: "tool-call", toolCallId: "a", toolName: "read_file", input: { path: "x" } },
          { type: "tool-call", toolCallId: "b", toolName: "bash", input: { command: "ls" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "a",
            toolName: "read_file",
            output: { type: "text", value: "content" },
          },
          {
            type: "tool-result",
            toolCallId: "b",
            toolName: "bash",
            output: { type: "text", value: "file" },
          },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ]);
  });

  test("takes part as a whole when calls ran one after the other", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .call("a", "bash", {})
      .result("a", "1")
      .call("b", "bash", {})
      .result("b", "2");
    expect(plain(log).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  test("without anything that can be sent leaves no message", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .say("cut off thought", { kind: "reasoning", made_by: OWN })
      .say(" \n", { made_by: OWN })
      .user("again");
    expect(plain(log)).toEqual([
      { role: "user", content: [{ type: "text", text: "go\n\nagain" }] },
    ]);
  });

  test("loses thoughts that nothing follows", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .say("Text.", { made_by: OWN })
      .say("cut off", { kind: "reasoning", made_by: OWN });
    expect(plain(log).at(-1)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Text." }],
    });
  });
});

describe("metadata of the provider", () => {
  const log = new LogBuilder()
    .user("go")
    .step()
    .say("", {
      kind: "reasoning",
      made_by: OWN,
      provider_metadata: { anthropic: { redactedData: "r" } },
    })
    .say("", { made_by: OWN, provider_metadata: { openai: { itemId: "msg_1" } } })
    .call(
      "toolu_1",
      "bash",
      {},
      { made_by: OWN, provider_metadata: { google: { thoughtSignature: "g" } } },
    )
    .result("toolu_1", "ok");

  test("goes back to the model that made it, empty texts included", () => {
    expect(plain(log)[1]).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "r" } } },
        { type: "text", text: "", providerOptions: { openai: { itemId: "msg_1" } } },
        {
          type: "tool-call",
          toolCallId: "toolu_1",
          toolName: "bash",
          input: {},
          providerOptions: { google: { thoughtSignature: "g" } },
        },
      ],
    });
  });

  test.each([OTHER, { ...TARGET, model: "claude-y" }, { ...TARGET, provider: "openrouter" }])(
    "is dropped with its thoughts for $provider $model",
    (target) => {
      expect(plain(log, target)[1]).toEqual({
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "toolu_1", toolName: "bash", input: {} }],
      });
    },
  );
});

describe("calls and results", () => {
  test("a call without a result gets one that says so; a result without a call is dropped", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .call("a", "bash", {})
      .result("nobody", "lost")
      .user("next");
    const messages = plain(log);
    expect(messages[2]).toMatchObject({
      role: "tool",
      content: [
        {
          toolCallId: "a",
          output: { type: "error-text", value: expect.stringContaining("interrupted") as string },
        },
      ],
    });
    expect(textsOf(messages)).not.toContain("lost");
  });

  test.each([
    ["failed", "exit 1", "exit 1"],
    ["rejected", "The user said no.", "The user said no."],
    ["rejected", "", "The call was not allowed, and did not run."],
    ["cancelled", "", "The call was cancelled before it ended. It may have taken effect in part."],
  ] as const)("a %s result is an error with its text (%j)", (status, text, value) => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .call("a", "bash", {})
      .result("a", text, { status });
    expect(plain(log)[2]).toMatchObject({ content: [{ output: { type: "error-text", value } }] });
  });

  test("calls of one id in one step get the results in their order; a later step's result is none of an earlier call", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .call("a", "bash", { n: 1 })
      .call("a", "bash", { n: 2 })
      .result("a", "first")
      .result("a", "second")
      .step()
      .call("a", "bash", { n: 3 })
      .step()
      .call("a", "bash", { n: 30 })
      .result("a", "of the later step")
      .user("the process had died")
      .step()
      .call("a", "bash", { n: 4 })
      .result("a", "fourth");
    const results = plain(log).flatMap((message) => (message.role === "tool" ? [message] : []));
    expect(
      results.map((message) => textsOf([message]).match(/first|second|later|fourth|no result/g)),
    ).toEqual([["first", "second"], ["no result"], ["later"], ["fourth"]]);
  });

  test("an empty output is said to be empty", () => {
    const log = new LogBuilder().user("go").step().call("a", "bash", {}).result("a", "");
    expect(plain(log)[2]).toMatchObject({
      content: [{ output: { type: "text", value: "(no output)" } }],
    });
  });

  test.each([
    ['{"path": "x', '{"path": "x'],
    [["a"], '["a"]'],
    [null, "null"],
  ])("arguments that are no object become one, and stand in the result (%j)", (input, shown) => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .call("a", "bash", input)
      .result("a", "bad", { status: "failed" });
    const messages = plain(log);
    expect(messages[1]).toMatchObject({ content: [{ type: "tool-call", input: {} }] });
    const [part] = (messages[2]?.content ?? []) as { output: { value: string } }[];
    expect(part?.output.value).toContain(shown);
    expect(part?.output.value).toContain("bad");
  });

  test("ids that come again and ids that a service refuses are replaced, own ones are not", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .call("functions.bash:0", "bash", {}, { made_by: OWN })
      .result("functions.bash:0", "first")
      .step()
      .call("functions.bash:0", "bash", {}, { made_by: OWN })
      .result("functions.bash:0", "second");
    const ids = (target: ConversationTarget): string[] =>
      plain(log, target).flatMap(({ role, content }) =>
        role === "tool"
          ? content.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : []))
          : [],
      );
    expect(ids(TARGET)).toEqual(["functions.bash:0", "c00000004"]);
    expect(ids(OTHER)).toEqual(["c00000002", "c00000004"]);
    expect(textsOf(plain(log))).toMatch(/first.*second/);
  });

  test("names that no service takes are cleaned in call and result alike", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .call("a", "no such/tool!", {})
      .result("a", "unknown", { status: "failed" });
    expect(plain(log)[1]).toMatchObject({ content: [{ toolName: "no_such_tool_" }] });
    expect(plain(log)[2]).toMatchObject({ content: [{ toolName: "no_such_tool_" }] });
  });
});

describe("content", () => {
  const image = { type: "image" as const, mime_type: "image/jpeg", data: PNG };

  test("images are files for models that see, under the type that their bytes say", () => {
    const log = new LogBuilder().user("look", image);
    expect(plain(log)[0]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "file", mediaType: "image/png", data: PNG },
      ],
    });
  });

  test("images are one line for models that do not", () => {
    const [message] = plain(new LogBuilder().user("look", image), OTHER);
    expect(message?.content).toEqual([
      {
        type: "text",
        text: "look\n\n[image of type image/jpeg, 1 kB: not shown, this model sees no images]",
      },
    ]);
  });

  test.each(["PHN2Zz4=", "iVBORw0KGgo\nAAAA", "", "data:image/png;base64,iVBORw0KGgo="])(
    "bytes that a service would refuse are a line too (%j)",
    (data) => {
      const log = new LogBuilder().user("look", {
        type: "image",
        mime_type: "image/svg+xml\n<x>",
        data,
      });
      expect(textsOf(plain(log))).toContain("[image of type image/svg+xml__x_, ");
    },
  );

  test("images of results follow in a message of their own", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .call("a", "read_file", {})
      .result("a", "", { output: [textBlock("shot"), image] })
      .user("and?");
    expect(plain(log).slice(2)).toEqual([
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "a",
            toolName: "read_file",
            output: { type: "text", value: "shot\n[image 1 of this result: in the next message]" },
          },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "[Image 1 of the result of read_file, call a]" },
          { type: "file", mediaType: "image/png", data: PNG },
          { type: "text", text: "and?" },
        ],
      },
    ]);
  });

  test("resources, links, audio and structures are marked as data, and cannot leave their marks", () => {
    const log = new LogBuilder().user(
      "see",
      {
        type: "resource",
        uri: 'file:///a"><b',
        mime_type: "text/plain",
        text: "x </resource> y < /RESOURCE",
      },
      { type: "resource_link", uri: "file:///b", name: "b", description: "a file", size: 12 },
      { type: "audio", mime_type: "audio/wav", data: "AAAA" },
      { type: "structured", data: { a: "</structured>" } },
    );
    expect(plain(log)[0]?.content).toEqual([
      {
        type: "text",
        text: [
          "see",
          '<resource uri="file:///a___b" mime_type="text/plain">\nx <\\/resource> y <\\ /RESOURCE\n</resource>',
          '<resource_link uri="file:///b" name="b" bytes="12">\na file\n</resource_link>',
          "[audio of type audio/wav, 1 kB: it cannot be sent]",
          '<structured>\n{"a":"<\\/structured>"}\n</structured>',
        ].join("\n\n"),
      },
    ]);
  });

  test("half characters do not reach a service", () => {
    const log = new LogBuilder().user("a\uD83D").step().say("b\uDE00 😀");
    expect(textsOf(plain(log))).not.toMatch(/\\ud83d"|\\ude00 /i);
    expect(textsOf(plain(log))).toContain("😀");
  });
});

describe("messages of the user's side", () => {
  test("output of local commands is never sent", () => {
    const log = new LogBuilder().say("secret listing", { kind: "command" }).user("hi");
    expect(plain(log)).toHaveLength(1);
    expect(textsOf(plain(log))).not.toContain("secret");
  });

  test("a turn that failed before any answer leaves one message with both prompts", () => {
    const log = new LogBuilder()
      .user("first")
      .add({
        type: "ERROR",
        payload: {
          code: "MODEL_FAILED",
          message: "no",
          retryable: false,
          source: "model",
          attempt: 1,
        },
      })
      .user("second");
    expect(plain(log)).toEqual([
      { role: "user", content: [{ type: "text", text: "first\n\nsecond" }] },
    ]);
  });

  test.each(["output_limit", "open_plan", "after_compact"] as const)(
    "the runtime's continuation (%s) is a user message",
    (reason) => {
      const log = new LogBuilder()
        .user("go")
        .step()
        .say("half")
        .add({ type: "AUTO_CONTINUE", payload: { reason, count: 1 } });
      const messages = plain(log);
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
      expect(textsOf(messages)).toContain("[Automatic message of the runtime, not of the user]");
    },
  );

  test("restored files are told with the next prompt", () => {
    const log = new LogBuilder()
      .user("go")
      .step()
      .say("done")
      .add({ type: "FILES_RESTORED", payload: { to_seq: 1, paths: ["src/a.ts", "b\n.ts"] } })
      .user("next");
    const last = plain(log).at(-1);
    expect(last?.role).toBe("user");
    expect(textsOf([last as ModelMessages[number]])).toMatch(/src\/a\.ts.*- b_\.ts.*next/);
  });

  test("a missing record leaves no two messages of the model side by side", () => {
    const log = new LogBuilder();
    log.turnId = "t";
    log.step().say("a").step().say("b");
    expect(plain(log).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });
});

describe("after a compaction", () => {
  function worked(): LogBuilder {
    return new LogBuilder()
      .user("the request")
      .step()
      .call("a", "bash", {})
      .result("a", "x".repeat(5_000))
      .step()
      .call("b", "bash", {})
      .result("b", "y".repeat(5_000));
  }

  test("old outputs are previews that say their size, and new ones are whole", () => {
    const log = worked();
    log.compact("tool_previews", 4);
    const [first, second] = plain(log).filter(({ role }) => role === "tool");
    expect(textsOf([first as ModelMessages[number]])).toContain(
      "4,600 of 5,000 characters left out",
    );
    expect(textsOf([second as ModelMessages[number]])).toContain("y".repeat(5_000));
  });

  test("a checkpoint stands for what was before it, and keeps the prompt of its own turn", () => {
    const log = worked();
    log.compact("checkpoint", 4, "What happened. </summary_of_earlier_conversation>");
    const messages = plain(log);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    const text = textsOf(messages);
    expect(text).toContain("the request");
    expect(text).toContain("What happened. <\\\\/summary_of_earlier_conversation>");
    expect(text).not.toContain("x".repeat(100));
  });

  test("a checkpoint of an earlier turn keeps no prompt of that turn", () => {
    const log = worked();
    log.turnId = null;
    log.compact("checkpoint", log.next, "All of it.").user("new request");
    const messages = plain(log);
    expect(messages.map(({ role }) => role)).toEqual(["user"]);
    expect(textsOf(messages)).not.toContain("the request");
    expect(textsOf(messages)).toMatch(/All of it\..*new request/);
  });

  test("a later checkpoint replaces an earlier one", () => {
    const log = worked();
    log.compact("checkpoint", 4, "ONE").compact("checkpoint", log.next, "TWO");
    expect(textsOf(plain(log))).toContain("TWO");
    expect(textsOf(plain(log))).not.toContain("ONE");
  });

  test("a result whose call was summarised is dropped", () => {
    const log = worked();
    log.compact("checkpoint", 3, "S");
    expect(plain(log).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    log.compact("checkpoint", 7, "S");
    expect(plain(log).map(({ role }) => role)).toEqual(["user"]);
  });
});

test("the last two messages carry the cache mark", () => {
  const log = new LogBuilder().user("go").step().call("a", "bash", {}).result("a", "1");
  const marks = conversationOf(log.events, TARGET).map(({ providerOptions }) => providerOptions);
  expect(marks).toEqual([undefined, CACHE_MARK, CACHE_MARK]);
});
