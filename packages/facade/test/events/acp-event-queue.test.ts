import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import type { AcpEvent } from "../../src/envelope/acp-event.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";

describe("AcpEventQueue", () => {
  it("calls back with what is published", async () => {
    const queue = new AcpEventQueue();
    const seen: AcpEvent[] = [];
    queue.subscribeLocal((event) => void seen.push(event));
    const event = await queue.publish({ event_type: "x.hello", data: { a: 1 } });
    await vi.waitFor(() => expect(seen).toEqual([event]));
    await queue.close();
  });
  it("streams a snapshot, what was missed and what comes", async () => {
    const queue = new AcpEventQueue();
    const { subscription_id: id } = await queue.open({}, { principal: LOCAL_PRINCIPAL });
    await queue.publish({ event_type: "x.one" });
    const seen: string[] = [];
    const reading = (async () => {
      const signal = new AbortController().signal;
      for await (const event of queue.events(id, { principal: LOCAL_PRINCIPAL, signal })) {
        seen.push(`${event.event_type} ${event.seq}`);
        if (event.seq === 3) break;
      }
    })();
    await sleep(5);
    await queue.publish({ event_type: "x.two" });
    await queue.publish({ event_type: "x.three" });
    await reading;
    expect(seen).toEqual(["snapshot 0", "x.one 1", "x.two 2", "x.three 3"]);
  });
});
