import { RequestError } from "@agentclientprotocol/sdk";
import { expect, test, vi } from "vitest";
import { type ClientAnswer, ClientRequests } from "../../src/client/client-requests.ts";
import { connectedHost } from "./support/client-bench.ts";
import { ManualTimer } from "./support/manual-timer.ts";

const READ = "fs/read_text_file";
const params = { path: "/a" };

function requestsOf(host: ReturnType<typeof connectedHost>, ended?: AbortSignal) {
  const timer = new ManualTimer();
  const requests = new ClientRequests({
    client: host.client,
    sessionId: () => "one",
    timer: timer.after,
    ...(ended !== undefined && { ended }),
  });
  return { timer, requests };
}

test("an answer comes as it is, and nothing is waited for any more", async () => {
  using host = connectedHost((app) => app.onRequest(READ, () => ({ content: "text" })));
  const { requests, timer } = requestsOf(host);
  expect(await requests.ask(READ, params)).toEqual({
    type: "answered",
    result: { content: "text" },
  });
  expect(timer.pending).toEqual([]);
  expect(host.sent).toMatchObject([{ method: READ, params: { sessionId: "one", path: "/a" } }]);
  expect(host.faults).toEqual([]);
});

test.each([
  [new RequestError(-32_002, "Resource not found", { uri: "/a" }), true, "Resource not found"],
  [RequestError.invalidParams(undefined, "past the end"), true, "Invalid params: past the end"],
  [new Error("invalid path"), true, "Internal error: invalid path"],
  [new RequestError(-32_603, "no", ["a"]), true, "no"],
  [new RequestError(-32_603, "no", { a: { b: 1 } }), true, "no"],
  [new RequestError(-32_603, "a\u0000b\u202ec\nd", "x"), true, "a b c d: x"],
  [new RequestError(-32_603, "x".repeat(500)), true, "x".repeat(200)],
  [new Error("Permission denied for fs/write_text_file"), false, "Permission denied"],
  [new RequestError(-32_800, "Request cancelled"), false, "Request cancelled"],
  [new RequestError(-32_000, "Log in first"), false, "Log in first"],
])("%s is a refusal; it leaves another way: %j", async (error, cannot, reason) => {
  using host = connectedHost((app) =>
    app.onRequest(READ, () => {
      throw error;
    }),
  );
  const answer = await requestsOf(host).requests.ask(READ, params);
  expect(answer).toMatchObject({ type: "refused", cannot, unknownMethod: false });
  if (answer.type === "refused") expect(answer.reason).toContain(reason);
  expect(JSON.stringify(answer)).not.toContain("[object Object]");
});

test("a host without the method says so", async () => {
  using host = connectedHost((app) => app);
  expect(await requestsOf(host).requests.ask(READ, params)).toMatchObject({
    type: "refused",
    unknownMethod: true,
    cannot: true,
  });
});

test("a silent host is waited for until the deadline, told so, and its late answer goes to whom it concerns", async () => {
  let answer: (content: string) => void = () => undefined;
  using host = connectedHost((app) =>
    app.onRequest(READ, async () => ({
      content: await new Promise<string>((resolve) => (answer = resolve)),
    })),
  );
  const { requests, timer } = requestsOf(host);
  const late: ClientAnswer[] = [];
  const asked = requests.ask(READ, params, { late: (one) => void late.push(one) });
  await vi.waitFor(() => expect(host.methods()).toEqual([READ]));
  expect(timer.pending).toEqual([10_000]);
  timer.pass(10_000);
  expect(await asked).toEqual({ type: "silent" });
  expect(late).toEqual([]);
  answer("late");
  await vi.waitFor(() => expect(late).toEqual([{ type: "answered", result: { content: "late" } }]));
  expect(host.methods()).toEqual([READ, "$/cancel_request"]);
  expect(host.faults).toEqual([]);
});

test("an abort ends the waiting at once, and nothing is asked under a signal that is aborted", async () => {
  using host = connectedHost((app) => app.onRequest(READ, () => new Promise(() => undefined)));
  const { requests, timer } = requestsOf(host);
  const controller = new AbortController();
  const asked = requests.ask(READ, params, { signal: controller.signal });
  await vi.waitFor(() => expect(host.methods()).toEqual([READ]));
  controller.abort();
  await expect(asked).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect(timer.pending).toEqual([]);
  await vi.waitFor(() => expect(host.methods()).toEqual([READ, "$/cancel_request"]));
  await expect(requests.ask(READ, params, { signal: controller.signal })).rejects.toMatchObject({
    code: "CORE_ABORTED",
  });
  expect(host.methods()).toHaveLength(2);
});

test("nothing is sent when the session was closed or the connection is", async () => {
  using host = connectedHost((app) => app.onRequest(READ, () => new Promise(() => undefined)));
  const ended = new AbortController();
  const { requests } = requestsOf(host, ended.signal);
  const asked = requests.ask(READ, params);
  await vi.waitFor(() => expect(host.methods()).toEqual([READ]));
  ended.abort();
  expect(await requests.ask(READ, params)).toEqual({ type: "gone" });
  expect(host.methods()).toEqual([READ]);
  host.close();
  expect(await asked).toEqual({ type: "gone" });
  expect(await requestsOf(host).requests.ask(READ, params)).toEqual({ type: "gone" });
});
