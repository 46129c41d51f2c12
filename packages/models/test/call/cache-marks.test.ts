import { describe, expect, test } from "vitest";
import { CACHE_MARK, type ModelMessages } from "../../src/index.ts";
import { withCacheMarks } from "../../src/call/cache-marks.ts";
import { modelAt, serve, SUBJECTS } from "../support/wires.ts";

const EPHEMERAL = { anthropic: { cacheControl: { type: "ephemeral" } } };
const text = (content: string, marked = false) => ({
  type: "text" as const,
  text: content,
  ...(marked && { providerOptions: CACHE_MARK }),
});

describe("marks for prompt caches", () => {
  test("the last system message is marked, and what the caller marked", () => {
    const prompt: ModelMessages = [
      { role: "system", content: "rules" },
      { role: "system", content: "skills" },
      { role: "user", content: [text("long document", true), text("question")] },
    ];
    expect(withCacheMarks(prompt, "anthropic")).toEqual([
      { role: "system", content: "rules" },
      { role: "system", content: "skills", providerOptions: EPHEMERAL },
      {
        role: "user",
        content: [
          { type: "text", text: "long document", providerOptions: EPHEMERAL },
          text("question"),
        ],
      },
    ]);
    expect(prompt[1]).not.toHaveProperty("providerOptions");
  });

  test("never more than four, the latest ones", () => {
    const prompt: ModelMessages = [
      { role: "system", content: "rules", providerOptions: CACHE_MARK },
      ...Array.from({ length: 6 }, (_item, index) => ({
        role: "user" as const,
        content: [text(`document ${index}`, true)],
      })),
    ];
    const marked = withCacheMarks(prompt, "anthropic").map((message) =>
      JSON.stringify(message).includes("cacheControl"),
    );
    expect(marked).toEqual([true, false, false, false, true, true, true]);
    expect(JSON.stringify(withCacheMarks(prompt, "anthropic"))).not.toContain("acumen");
  });

  test("other wires get none, and our own key never goes out", () => {
    const prompt: ModelMessages = [
      {
        role: "system",
        content: "rules",
        providerOptions: { ...CACHE_MARK, openai: { keep: true } },
      },
      { role: "user", content: [text("document", true)] },
    ];
    expect(withCacheMarks(prompt, undefined)).toEqual([
      { role: "system", content: "rules", providerOptions: { openai: { keep: true } } },
      { role: "user", content: [text("document")] },
    ]);
  });

  test("without marks, system messages in a row are one", () => {
    const prompt: ModelMessages = [
      { role: "system", content: "rules", providerOptions: CACHE_MARK },
      { role: "system", content: "skills" },
      { role: "user", content: [text("question")] },
    ];
    expect(withCacheMarks(prompt, undefined)).toEqual([
      { role: "system", content: "rules\n\nskills" },
      { role: "user", content: [text("question")] },
    ]);
    expect(withCacheMarks(prompt, "anthropic")).toEqual([
      { role: "system", content: "rules", providerOptions: EPHEMERAL },
      { role: "system", content: "skills", providerOptions: EPHEMERAL },
      { role: "user", content: [text("question")] },
    ]);
  });

  test("on the wire of Anthropic", async () => {
    const subject = SUBJECTS.find(({ wire }) => wire === "anthropic");
    if (subject === undefined) throw new Error("no Anthropic");
    await using server = await serve(subject, [
      { text: "a", usage: { input: 10, output: 1, cacheWrite: 7 } },
    ]);
    const model = await modelAt(subject, server);
    const { usage } = await model.generate({
      messages: [
        { role: "system", content: "rules" },
        { role: "user", content: [text("document", true), text("question")] },
      ],
    });
    expect(usage.cacheWriteTokens).toBe(7);
    const { system, messages } = server.requests[0]?.body ?? {};
    expect(system).toEqual([{ type: "text", text: "rules", cache_control: { type: "ephemeral" } }]);
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "document", cache_control: { type: "ephemeral" } },
          { type: "text", text: "question" },
        ],
      },
    ]);
  });
});
