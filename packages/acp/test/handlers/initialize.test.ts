import type { AgentRequestMethod } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { agentCapabilities } from "../../src/handlers/agent-capabilities.ts";
import { REQUEST_HANDLERS } from "../../src/handlers/request-handlers.ts";
import type { RequestHandlers } from "../../src/handlers/request-scope.ts";
import { hostBench } from "../support/host-bench.ts";
import { rawHost } from "../support/raw-host.ts";

const ALL = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
};
const MISSING = "No key is configured. Run `acumen setup`, or set ANTHROPIC_API_KEY.";
const login = { auth: { terminal: true } };

test("the answer names version 1, the agent, and everything that has a handler", async () => {
  await using bench = await hostBench({ steps: [] });
  expect(bench.initialized).toEqual({
    protocolVersion: 1,
    agentInfo: { name: "acumen", title: "Acumen", version: "0.0.0" },
    authMethods: [],
    agentCapabilities: ALL,
  });
  expect(bench.faults).toEqual([]);
});

test("a model without eyes takes no images", async () => {
  await using bench = await hostBench({
    steps: [],
    server: { greet: () => Promise.resolve({ image: false }) },
  });
  expect(bench.initialized.agentCapabilities?.promptCapabilities?.image).toBe(false);
});

test.each<[AgentRequestMethod, object]>([
  ["session/load", { ...ALL, loadSession: false }],
  ["session/list", without("list")],
  ["session/resume", without("resume")],
  ["session/close", without("close")],
  ["session/delete", without("delete")],
])("without a handler for %s nothing advertises it", (method, expected) => {
  const { [method]: _gone, ...rest } = REQUEST_HANDLERS as RequestHandlers;
  expect(agentCapabilities(rest, { image: true })).toEqual(expected);
});

function without(name: keyof (typeof ALL)["sessionCapabilities"]): object {
  const { [name]: _gone, ...sessionCapabilities } = ALL.sessionCapabilities;
  return { ...ALL, sessionCapabilities };
}

test("every method that is advertised is answered, and no other one", async () => {
  await using host = await rawHost({ steps: [] });
  await host.ask("initialize", { protocolVersion: 1 });
  for (const method of Object.keys(REQUEST_HANDLERS)) {
    expect((await host.ask(method, {})).error?.code, method).not.toBe(-32601);
  }
  for (const method of ["logout", "session/fork", "session/set_model", "_own/method"]) {
    expect((await host.ask(method, { sessionId: "x" })).error?.code, method).toBe(-32601);
  }
});

test.each([0, 1, 2, 7, 65_535])("version %i is answered with version 1", async (version) => {
  await using host = await rawHost({ steps: [] });
  const { result } = await host.ask("initialize", { protocolVersion: version });
  expect(result).toMatchObject({ protocolVersion: 1, agentCapabilities: ALL });
});

test.each([
  ["nothing", undefined],
  ["no version", { clientCapabilities: {} }],
  ["a version that is no integer", { protocolVersion: "newest" }],
  ["a list", { protocolVersion: [1] }],
])("%s as parameters is refused, and the next try works", async (_name, params) => {
  await using host = await rawHost({ steps: [] });
  const { error } = await host.ask("initialize", params);
  expect(error).toMatchObject({ code: -32602, data: { protocolVersion: {} } });
  expect((await host.ask("initialize", { protocolVersion: 1 })).result).toBeDefined();
});

test("a second initialize gets the same answer, and what the host can do stays what it said first", async () => {
  await using bench = await hostBench({
    steps: [],
    capabilities: login,
    server: { greet: () => Promise.resolve({ image: true, missingCredentials: MISSING }) },
  });
  const again = await bench.host.request("initialize", { protocolVersion: 2 });
  expect(again).toEqual(bench.initialized);
  expect(again.authMethods).toHaveLength(1);
});

test("before initialize every method is refused", async () => {
  await using host = await rawHost({ steps: [] });
  const { cwd } = host;
  expect((await host.ask("session/new", { cwd, mcpServers: [] })).error?.code).toBe(-32600);
  expect((await host.ask("session/list", {})).error?.code).toBe(-32600);
});

test("a login is offered when keys are missing and the host has a terminal for it", async () => {
  const server = { greet: () => Promise.resolve({ image: true, missingCredentials: MISSING }) };
  await using bench = await hostBench({ steps: [], capabilities: login, server });
  const [method] = bench.initialized.authMethods ?? [];
  expect(method).toMatchObject({ type: "terminal", id: "acumen-setup" });
  await expect(
    bench.host.request("authenticate", { methodId: "acumen-setup" }),
  ).rejects.toMatchObject({ code: -32000, message: MISSING });
  await expect(bench.host.request("authenticate", { methodId: "other" })).rejects.toMatchObject({
    code: -32602,
  });
  expect(bench.faults).toEqual([]);

  await using plain = await hostBench({ steps: [], server });
  expect(plain.initialized.authMethods).toEqual([]);
  await expect(
    plain.host.request("authenticate", { methodId: "acumen-setup" }),
  ).rejects.toMatchObject({ code: -32602 });
});

test("a login that was done is no error, however often the host says that it was", async () => {
  let missing: string | undefined = MISSING;
  await using bench = await hostBench({
    steps: [],
    capabilities: login,
    server: {
      greet: () =>
        Promise.resolve({
          image: true,
          ...(missing !== undefined && { missingCredentials: missing }),
        }),
    },
  });
  const authenticate = (methodId: string): Promise<unknown> =>
    bench.host.request("authenticate", { methodId });
  await expect(authenticate("acumen-setup")).rejects.toMatchObject({ code: -32000 });
  missing = undefined;
  expect(await authenticate("acumen-setup")).toEqual({});
  expect(await authenticate("acumen-setup")).toEqual({});
  await expect(authenticate("other")).rejects.toMatchObject({ code: -32602 });
  expect(bench.faults).toEqual([]);
});

test("with keys there is nothing to log in to, and no id is taken", async () => {
  await using bench = await hostBench({ steps: [], capabilities: login });
  expect(bench.initialized.authMethods).toEqual([]);
  await expect(
    bench.host.request("authenticate", { methodId: "acumen-setup" }),
  ).rejects.toMatchObject({ code: -32602, data: { path: "methodId" } });
});
