import { tempFolder } from "@acumen/testkit";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { generateObject, resolveModel } from "../../src/index.ts";
import { ask, CANARY, collect, failureOf, modelAt, serve, SUBJECTS } from "../support/wires.ts";

const schema = z.object({ answer: z.string(), note: z.string().optional() });

describe.each(SUBJECTS)("recording the wire $wire and replaying it", (subject) => {
  test("gives the same answers without the service", async () => {
    await using folder = await tempFolder();
    const path = join(folder.path, "answers.jsonl");
    await using server = await serve(subject, [
      { text: "first" },
      { text: "second" },
      { text: "a streamed text that comes in pieces", usage: { input: 3, output: 4 } },
      { json: { answer: "42" } },
    ]);
    const live = await modelAt(subject, server, { recordTo: path });
    const play = async (model: typeof live): Promise<unknown[]> => [
      (await model.generate({ messages: ask("same question") })).text,
      (await model.generate({ messages: ask("same question") })).text,
      (await collect(model.stream({ messages: ask("stream") }))).filter(
        ({ type }) => type !== "response-metadata",
      ),
      await generateObject(model, { messages: ask("json"), schema, schemaName: "answer" }),
    ];
    const recorded = await play(live);
    const replaying = await resolveModel(`recorded/${path}`, { env: {}, allowScripted: true });
    expect(JSON.parse(JSON.stringify(await play(replaying)))).toEqual(
      JSON.parse(JSON.stringify(recorded)),
    );
    expect(server.calls).toHaveLength(4);

    const content = await readFile(path, "utf8");
    expect(content).not.toContain(CANARY);
    expect(content).not.toContain("same question");
    expect((await stat(path)).mode & 0o077).toBe(0);
  });
});

test("a question that was not recorded is a mismatch", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "answers.jsonl");
  const head = { format: "acumen.recorded", version: 1, structured_output: "schema" };
  await writeFile(path, `${JSON.stringify(head)}\n`);
  const model = await resolveModel(`recorded/${path}`, { env: {}, allowScripted: true });
  for (const work of [
    () => model.generate({ messages: ask("new question") }),
    () => collect(model.stream({ messages: ask("new question") })),
  ]) {
    expect(await failureOf(work())).toMatchObject({
      code: "MODEL_SCRIPT_MISMATCH",
      message: expect.stringContaining("new question") as string,
      retryable: false,
    });
  }
});

test.each([
  ["nothing", ""],
  ["another format", '{"format":"other"}\n'],
  ["a newer version", '{"format":"acumen.recorded","version":2,"structured_output":"schema"}\n'],
  ["a torn line", '{"format":"acumen.recorded","version":1,"structured_output":"schema"}\n{"key":'],
])("%s is no recording", async (_what, content) => {
  await using folder = await tempFolder();
  const path = join(folder.path, "answers.jsonl");
  await writeFile(path, content);
  expect(
    await failureOf(resolveModel(`recorded/${path}`, { env: {}, allowScripted: true })),
  ).toMatchObject({
    code: "MODEL_SCRIPT_INVALID",
  });
});
