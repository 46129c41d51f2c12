import { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { bench, scripted } from "./support.ts";

test("the SDK's client greets, lists and calls a server over it, and closing it ends the server", async () => {
  await using b = await bench();
  const opened = await b.open(scripted());
  const client = new Client({ name: "test", version: "1" });
  await client.connect(opened.transport);
  expect(await client.listTools()).toMatchObject({ tools: [{ name: "echo" }] });
  expect(await client.callTool({ name: "echo", arguments: { text: "größer 🎉" } })).toMatchObject({
    content: [{ type: "text", text: `{"text":"größer 🎉"}` }],
  });
  await client.close();
  expect(await opened.ended).toEqual({ kind: "closed", exitCode: 0, signal: null });
  await opened.close();
});
