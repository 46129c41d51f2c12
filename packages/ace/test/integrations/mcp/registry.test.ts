import { type Logger, silentLogger } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import {
  type RegistryOptions,
  SessionRegistry,
  type UseOptions,
} from "../../../src/integrations/mcp/registry.ts";
import type { Session } from "../../../src/integrations/mcp/session.ts";
import { addSkills } from "./support/stub-runner.ts";

const CREATE: UseOptions = { create: true };
const EXISTING: UseOptions = { create: false };

function registry(options: Partial<RegistryOptions> = {}): {
  sessions: SessionRegistry;
  clock: FakeClock;
} {
  const clock = new FakeClock();
  const sessions = new SessionRegistry({
    ttlSeconds: 1,
    maxSessions: 10,
    logger: silentLogger,
    clock,
    ...options,
  });
  return { sessions, clock };
}

const establish = async (session: Session): Promise<Session> => {
  session.establish();
  return session;
};
const same = async (session: Session): Promise<Session> => session;

function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe("SessionRegistry", () => {
  it("5.5 #8: gives the same object for an id, and SESSION_NOT_FOUND for an unknown one", async () => {
    const { sessions } = registry();
    const first = await sessions.use("a", CREATE, establish);
    expect(await sessions.use("a", EXISTING, same)).toBe(first);
    await expect(sessions.use("b", EXISTING, same)).rejects.toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
      details: { session_id: "b" },
    });
    expect(sessions.size).toBe(1);
  });

  it("5.5 #9: drops a session that was idle for longer than the TTL", async () => {
    const { sessions, clock } = registry();
    await sessions.use("a", CREATE, establish);
    clock.advance(1_000);
    await sessions.use("a", EXISTING, same);
    clock.advance(1_001);
    await expect(sessions.use("a", EXISTING, same)).rejects.toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
    });
  });

  it("5.5 #10, deliberately different: there is no delete; expiry and the cap end sessions", () => {
    expect("delete" in SessionRegistry.prototype).toBe(false);
  });

  it("5.5 #11: keeps odd ids verbatim and apart", async () => {
    const { sessions } = registry();
    const ids = ["a/b/c", "x:y:1", "__proto__", "constructor", "a\u0000b", "é", "e\u0301"];
    for (const id of ids) await sessions.use(id, CREATE, establish);
    const found = new Set<Session>();
    for (const id of ids) {
      const session = await sessions.use(id, EXISTING, same);
      expect(session.id).toBe(id);
      found.add(session);
    }
    expect(found.size).toBe(ids.length);
  });

  it("warns when a session expires with unsaved changes", async () => {
    const warnings: unknown[] = [];
    const logger: Logger = { ...silentLogger, warn: (_message, fields) => warnings.push(fields) };
    const { sessions, clock } = registry({ logger });
    await sessions.use("a", CREATE, async (session) => {
      session.establish();
      addSkills(session.skillbook, "x");
    });
    clock.advance(1_001);
    sessions.sweep();
    expect(warnings).toEqual([{ session_id: "a" }]);
  });

  it("serves calls of one session first in, first out, and other sessions meanwhile", async () => {
    const { sessions } = registry();
    const hold = gate();
    const order: string[] = [];
    const slow = sessions.use("a", CREATE, async (session) => {
      session.establish();
      await hold.opened;
      order.push("slow");
    });
    const second = sessions.use("a", CREATE, async () => void order.push("second"));
    const third = sessions.use("a", CREATE, async () => void order.push("third"));
    await sessions.use("b", CREATE, async () => void order.push("other"));
    hold.open();
    await Promise.all([slow, second, third]);
    expect(order).toEqual(["other", "slow", "second", "third"]);
  });

  it("forgets a session whose first call fails before it was established, unless others wait for it", async () => {
    const { sessions } = registry();
    const failing = async (): Promise<void> => {
      throw new Error("no model");
    };
    await expect(sessions.use("a", CREATE, failing)).rejects.toThrow("no model");
    expect(sessions.size).toBe(0);
    const results = await Promise.allSettled([
      sessions.use("a", CREATE, failing),
      sessions.use("a", CREATE, establish),
      sessions.use("a", EXISTING, same),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(sessions.size).toBe(1);
  });

  it("lets a reader wait for the call that makes its session", async () => {
    const { sessions } = registry();
    const hold = gate();
    const making = sessions.use("a", CREATE, async (session) => {
      await hold.opened;
      session.establish();
    });
    const reading = sessions.use("a", EXISTING, same);
    hold.open();
    await making;
    expect((await reading).id).toBe("a");
  });

  it("gives up waiting for a busy session, and says that it waited", async () => {
    const { sessions } = registry({ waitSeconds: 0.01 });
    const hold = gate();
    const slow = sessions.use("a", CREATE, async () => await hold.opened);
    await expect(sessions.use("a", CREATE, same)).rejects.toMatchObject({
      code: "ACE_MCP_TIMEOUT",
      details: { timeout_seconds: 0.01, waiting: true },
    });
    hold.open();
    await slow;
  });

  it("stops waiting when the client cancels, and the work behind goes on in order", async () => {
    const { sessions } = registry();
    const hold = gate();
    const slow = sessions.use("a", CREATE, async () => await hold.opened);
    const controller = new AbortController();
    const cancelled = sessions.use("a", { create: true, signal: controller.signal }, same);
    const next = sessions.use("a", CREATE, establish);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "CORE_ABORTED" });
    hold.open();
    await slow;
    expect((await next).id).toBe("a");
  });

  it("makes room by dropping the longest-idle session without unsaved changes", async () => {
    const { sessions } = registry({ maxSessions: 3 });
    await sessions.use("changed", CREATE, async (session) => {
      session.establish();
      addSkills(session.skillbook, "x");
    });
    for (const id of ["old", "new"]) await sessions.use(id, CREATE, establish);
    await sessions.use("old", EXISTING, same);
    await sessions.use("fourth", CREATE, establish);
    await expect(sessions.use("new", EXISTING, same)).rejects.toMatchObject({
      code: "ACE_MCP_SESSION_NOT_FOUND",
    });
    for (const id of ["changed", "old", "fourth"]) await sessions.use(id, EXISTING, same);
  });

  it("refuses a new session when every one is in use or changed", async () => {
    const { sessions } = registry({ maxSessions: 1 });
    await sessions.use("a", CREATE, async (session) => {
      session.establish();
      addSkills(session.skillbook, "x");
    });
    await expect(sessions.use("b", CREATE, same)).rejects.toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { max_sessions: 1 },
    });
    await sessions.use("a", CREATE, same);
  });

  it("tells when no call is at work any more", async () => {
    const { sessions } = registry();
    await sessions.idle();
    const hold = gate();
    const slow = sessions.use("a", CREATE, async () => await hold.opened);
    let idle = false;
    const waiting = sessions.idle().then(() => (idle = true));
    await Promise.resolve();
    expect(idle).toBe(false);
    hold.open();
    await slow;
    await waiting;
    expect(idle).toBe(true);
  });
});
