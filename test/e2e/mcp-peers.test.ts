import { readFile } from "node:fs/promises";
import { resolveModel } from "@acumen/models";
import { startModelServer, type TempFolder, tempFolder, type WireName } from "@acumen/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aceMcpCommand, serverEnvironment } from "./support/ace-mcp.ts";
import {
  asDefinition,
  calling,
  type CallOutcome,
  type McpSession,
  openMcpSession,
} from "./support/mcp-session.ts";
import { installPeers } from "./support/peers.ts";
import { PEER_SERVERS, startEverything, startWatched } from "./support/peer-servers.ts";

let folder: TempFolder;

beforeAll(async () => {
  await installPeers();
  folder = await tempFolder("acumen-peers");
});
afterAll(() => folder.remove());

type Definition = Readonly<Record<string, unknown>>;

/** A definition, and how to be done with it. */
interface Reached extends AsyncDisposable {
  readonly definition: Definition;
}

const EVERYTHING: readonly { transport: string; reach: () => Promise<Reached> }[] = [
  {
    transport: "stdio",
    reach: () =>
      Promise.resolve({
        definition: PEER_SERVERS.everything,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  },
  ...(["streamableHttp", "sse"] as const).map((kind) => ({
    transport: kind === "sse" ? "sse" : "http",
    reach: async (): Promise<Reached> => {
      const peer = await startEverything(kind);
      return {
        definition: { type: kind === "sse" ? "sse" : "http", url: peer.url },
        [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
      };
    },
  })),
];

function kindsOf(outcome: CallOutcome | undefined): string[] {
  return (outcome?.output ?? []).map(({ type }) => type);
}

describe.each(EVERYTHING)("server-everything over $transport", ({ transport, reach }) => {
  test("lists its tools, and every kind of content becomes a typed block of the log", async () => {
    await using peer = await reach();
    await using it = await openMcpSession({
      servers: { everything: peer.definition },
      steps: [
        calling(
          ["echo", { message: "hello" }],
          ["get-sum", { a: 2, b: 3 }],
          ["get-tiny-image"],
          ["get-annotated-message", { messageType: "error", includeImage: true }],
          ["get-resource-links", { count: 2 }],
          ["get-resource-reference", { resourceType: "Text", resourceId: 1 }],
          ["get-resource-reference", { resourceType: "Blob", resourceId: 2 }],
          ["get-structured-content", { location: "Chicago" }],
          ["get-roots-list"],
        ),
        { text: "Done." },
      ],
    });
    await it.prompt();
    const status = it.statusOf("everything");
    // Twelve, the one for clients that have roots, and one that every client sees later.
    expect(status, status?.reason).toMatchObject({ state: "connected", transport, tool_count: 14 });
    const outcomes = it.outcomes();
    expect(outcomes.map(({ status: each }) => each)).toEqual(outcomes.map(() => "completed"));
    const [echo, sum, image, annotated, links, text, blob, structured, roots] = outcomes;
    expect(echo?.text).toBe("Echo: hello");
    expect(sum?.text).toContain("5");
    expect(kindsOf(image)).toEqual(["text", "image", "text"]);
    expect(kindsOf(annotated)).toEqual(["text", "image"]);
    expect(kindsOf(links)).toEqual(["text", "resource_link", "resource_link"]);
    expect(kindsOf(text)).toEqual(["text", "resource", "text"]);
    expect(blob?.text).toContain("demo://resource/dynamic/blob/2");
    expect(structured?.text).toContain('"temperature":36');
    expect(roots?.text).toContain(it.cwd);
  });

  test("progress extends the time limit of a call", async () => {
    await using peer = await reach();
    await using it = await openMcpSession({
      servers: { everything: { ...peer.definition, timeoutMs: 1_500 } },
      steps: [
        calling(["trigger-long-running-operation", { duration: 4, steps: 8 }]),
        calling(["trigger-long-running-operation", { duration: 4, steps: 1 }]),
        { text: "Done." },
      ],
    });
    await it.prompt();
    const [alive, silent] = it.outcomes();
    expect(alive?.text).toContain("Long running operation completed");
    expect(silent?.status).toBe("failed");
    expect(silent?.text).toContain("no answer in time");
  });
});

test("server-filesystem: works in the session's folder, its names that are taken are qualified", async () => {
  await using it = await openMcpSession({
    servers: { fs: PEER_SERVERS.filesystem(folder.path) },
    steps: [
      calling(["list_allowed_directories"]),
      calling(["mcp__fs__write_file", { path: "note.txt", content: "by the server\n" }]),
      calling(["mcp__fs__read_file", { path: "note.txt" }], ["read_file", { path: "note.txt" }]),
      { text: "Done." },
    ],
  });
  await it.prompt();
  const status = it.statusOf("fs");
  expect(status, status?.reason).toMatchObject({ state: "connected", tool_count: 14 });
  expect(status?.conflicts.map(({ tool, resolution }) => [tool, resolution])).toEqual([
    ["read_file", "mcp__fs__read_file"],
    ["write_file", "mcp__fs__write_file"],
  ]);
  const [allowed, written, theirs, ours] = it.outcomes();
  // It asked for the roots, which go before its argument.
  expect(allowed?.text).toContain(it.cwd);
  expect([written?.status, theirs?.text.trim()]).toEqual(["completed", "by the server"]);
  expect([ours?.server, ours?.text]).toEqual([undefined, expect.stringContaining("by the server")]);
  expect(await readFile(`${it.cwd}/note.txt`, "utf8")).toBe("by the server\n");
});

test("server-memory: keeps a graph between calls, in the file that its definition names", async () => {
  const file = folder.join("memory.json");
  await using it = await openMcpSession({
    servers: { memory: PEER_SERVERS.memory(file) },
    steps: [
      calling([
        "create_entities",
        { entities: [{ name: "Ada", entityType: "person", observations: ["likes engines"] }] },
      ]),
      calling(["search_nodes", { query: "engines" }]),
      { text: "Done." },
    ],
  });
  await it.prompt();
  expect(it.statusOf("memory")).toMatchObject({ state: "connected", tool_count: 9 });
  expect(it.outcomes().map(({ status }) => status)).toEqual(["completed", "completed"]);
  expect(it.outcomes()[1]?.text).toContain("Ada");
  expect(await readFile(file, "utf8")).toContain("likes engines");
});

test("ace-mcp: its dotted names are called under names that every service takes", async () => {
  const session_id = "peer";
  const samples = [{ question: "Which team gets an invoice?", ground_truth: "billing" }];
  await using it = await openMcpSession({
    servers: { ace: { ...asDefinition(aceMcpCommand()), env: serverEnvironment() } },
    steps: [
      calling(["mcp__ace__ace_learn_sample", { session_id, samples }]),
      calling(["mcp__ace__ace_ask", { session_id, question: "Which team gets an invoice?" }]),
      { text: "Done." },
    ],
  });
  await it.prompt();
  expect(it.statusOf("ace")).toMatchObject({ state: "connected", tool_count: 6, conflicts: [] });
  const [learned, asked] = it.outcomes();
  expect([learned?.status, asked?.status]).toEqual(["completed", "completed"]);
  expect(asked?.text).toContain("billing");
});

const WIRES: readonly { wire: WireName; id: string; prefix: string; images: number }[] = [
  { wire: "openai-responses", id: "openai/responses/gpt-5.1", prefix: "OPENAI", images: 1 },
  { wire: "openai-chat", id: "openai/chat/gpt-4.1", prefix: "OPENAI", images: 1 },
  { wire: "anthropic", id: "claude-sonnet-4-5", prefix: "ANTHROPIC", images: 1 },
  { wire: "google", id: "gemini/gemini-3.1-pro-preview", prefix: "GEMINI", images: 1 },
];

test.each(WIRES)(
  "$wire takes the tools of all peers at once, and what they answer reaches the model",
  async ({ wire, id, prefix, images }) => {
    await using server = await startModelServer({
      wire,
      script: [
        {
          toolCalls: [
            { name: "get-tiny-image", input: {} },
            { name: "get-resource-links", input: { count: 1 } },
            { name: "get-resource-reference", input: { resourceType: "Text", resourceId: 1 } },
            { name: "get-structured-content", input: { location: "Chicago" } },
          ],
        },
        { text: "Done." },
      ],
    });
    const env = { [`${prefix}_API_KEY`]: "sk-test", [`${prefix}_BASE_URL`]: server.baseUrl };
    await using it = await openMcpSession({
      servers: {
        everything: PEER_SERVERS.everything,
        fs: PEER_SERVERS.filesystem(folder.path),
        memory: PEER_SERVERS.memory(folder.join("memory.json")),
        ace: { ...asDefinition(aceMcpCommand()), env: serverEnvironment() },
      },
      steps: [],
      model: await resolveModel(id, { env, retry: { attempts: 1 } }),
    });
    expect(await it.prompt()).toMatchObject({ stopReason: "end_turn", text: "Done." });
    for (const name of ["everything", "fs", "memory", "ace"])
      expect(it.statusOf(name)).toMatchObject({ state: "connected", quarantined: [] });
    const parts = (server.calls[1]?.messages ?? []).flatMap((message) => message.parts);
    const results = parts.flatMap((part) => (part.type === "tool-result" ? [part.output] : []));
    const [image, links, reference, structured] = results;
    expect(image).toContain("Here's the image you requested:");
    expect(parts.filter(({ type }) => type === "file")).toHaveLength(images);
    expect(links).toContain("demo://resource/dynamic/blob/1");
    expect(reference).toContain("plaintext resource");
    expect(structured).toContain('"temperature":36');
  },
);

describe("a cancelled call", () => {
  async function cancelled(it: McpSession, log: string): Promise<void> {
    const noted = (): Promise<string> => readFile(log, "utf8").catch(() => "");
    const controller = new AbortController();
    const turn = it.prompt("Go.", controller.signal);
    await expect.poll(noted).toBe("began\n");
    controller.abort();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    await expect.poll(noted).toBe("began\ncancelled\n");
    // The call ended, not the server.
    expect(it.statusOf("watched")).toMatchObject({ state: "connected" });
  }

  test.each(["v1", "v2"] as const)("reaches a server of the SDK %s over stdio", async (kind) => {
    const log = folder.join(`${kind}.log`);
    await using it = await openMcpSession({
      servers: { watched: PEER_SERVERS.watched(kind, log) },
      steps: [calling(["wait"])],
    });
    await cancelled(it, log);
  });

  test("reaches a server of the newest protocol over HTTP", async () => {
    const log = folder.join("http.log");
    await using peer = await startWatched(log);
    await using it = await openMcpSession({
      servers: { watched: { type: "http", url: peer.url } },
      steps: [calling(["greet", { name: "Ada" }]), { text: "Greeted." }, calling(["wait"])],
    });
    await it.prompt();
    expect(it.statusOf("watched")).toMatchObject({ protocol_version: "2026-07-28" });
    expect(it.outcomeOf("greet")).toMatchObject({ status: "completed" });
    await cancelled(it, log);
  });
});
