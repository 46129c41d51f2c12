import { type MisbehavingMode, startMisbehavingHttpServer } from "@acumen/testkit";
import { beforeAll, expect, test } from "vitest";
import { play } from "./support/mcp-play.ts";
import { misbehaving } from "./support/mcp-session.ts";

const MIB = 2 ** 20;
/** A message of 64 MiB as bytes and as text, and what the collector has not looked at yet. */
const MAX_GROWTH = 450 * MIB;

// Code and caches that every process has once.
beforeAll(async () => {
  await play(misbehaving("well"));
});

/** How far the resident memory of this process went up meanwhile. */
async function growthOf(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak - before;
}

test.each<{ mode: MisbehavingMode; result: RegExp; status?: "completed" }>([
  { mode: "20-mb-result", status: "completed", result: /^begin 0123/ },
  { mode: "message-over-64-mib", result: /64 MiB/ },
  { mode: "endless-line", result: /64 MiB/ },
  { mode: "deep-result", result: /./ },
  { mode: "progress-flood", status: "completed", result: /^after the flood$/ },
  { mode: "logging-flood", status: "completed", result: /^after the log$/ },
])(
  "$mode: the session goes on, and memory is bounded",
  async ({ mode, result, status = "failed" }) => {
    const growth = await growthOf(async () => {
      const { echo, it } = await play(misbehaving(mode));
      expect(echo?.status).toBe(status);
      expect(echo?.text).toMatch(result);
      // What is kept of it, and sent to the model with every further request.
      expect(JSON.stringify(it.session.events).length).toBeLessThan(MIB);
      expect(JSON.stringify(it.model.calls.at(-1)?.prompt).length).toBeLessThan(MIB);
    });
    expect(growth).toBeLessThan(MAX_GROWTH);
  },
);

test("3000-tools: no more than every service takes, and memory is bounded", async () => {
  const growth = await growthOf(async () => {
    const { status } = await play(misbehaving("3000-tools"), {
      look: ({ it }) => expect(it.session.tools()).toHaveLength(128),
    });
    expect(status.state).toBe("connected");
  });
  expect(growth).toBeLessThan(MAX_GROWTH);
});

test.each(["large-answer", "huge-answer", "endless-answer"] as const)(
  "%s over HTTP: the session goes on, and memory is bounded",
  async (mode) => {
    await using server = await startMisbehavingHttpServer(mode);
    const growth = await growthOf(async () => {
      const { echo, it } = await play({ type: "http", url: server.url, timeoutMs: 20_000 });
      expect(echo?.status).toBe(mode === "large-answer" ? "completed" : "failed");
      expect(JSON.stringify(it.session.events).length).toBeLessThan(MIB);
    });
    expect(growth).toBeLessThan(MAX_GROWTH);
  },
);
