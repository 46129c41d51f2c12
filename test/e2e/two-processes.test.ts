import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { startAceMcp } from "./support/ace-mcp.ts";
import type { WireClient } from "./support/wire-client.ts";

const SESSION = { session_id: "shared" };

function batch(side: string, number: number): { samples: unknown[] } {
  const samples = Array.from({ length: 5 }, (_, index) => ({
    question: `The ${side} device ${number * 5 + index} of hall ${number * 31 + index} hums at ${number * 7 + index} Hz. Who repairs it?`,
    ground_truth: `${side}-crew-${number * 5 + index}`,
  }));
  return { samples };
}

async function contents(client: WireClient): Promise<string> {
  const all: string[] = [];
  const { body } = await client.call("ace.skillbook.get", { ...SESSION, limit: 200 });
  all.push(JSON.stringify(body));
  return all.join("\n");
}

describe("two ace-mcp processes with autosave on one root", () => {
  test("at work on one session at the same time: neither loses what the other had learned", async () => {
    await using folder = await tempFolder("acumen-two");
    const settings = { root: folder.path, env: { ACE_MCP_AUTOSAVE: "true" } };
    const rounds = 8;
    {
      await using left = await startAceMcp(settings);
      await using right = await startAceMcp(settings);
      const work = async (client: WireClient, side: string): Promise<void> => {
        for (let round = 0; round < rounds; round += 1) {
          const reply = await client.call("ace.learn.sample", {
            ...SESSION,
            ...batch(side, round),
          });
          expect(reply.isError, JSON.stringify(reply.body)).toBe(false);
        }
      };
      await Promise.all([work(left, "northern"), work(right, "southern")]);
      expect(await left.close()).toMatchObject({ code: 0 });
      expect(await right.close()).toMatchObject({ code: 0 });
    }
    await using third = await startAceMcp(settings);
    const book = await contents(third);
    const missing: string[] = [];
    for (const side of ["northern", "southern"])
      for (let number = 0; number < rounds * 5; number += 1)
        if (!new RegExp(`${side}-crew-${number}\\b`).test(book))
          missing.push(`${side}-crew-${number}`);
    expect(missing).toEqual([]);
  });

  test("in turns: what one learned is there for the other's next call, and an ask sees it", async () => {
    await using folder = await tempFolder("acumen-turns");
    const settings = { root: folder.path, env: { ACE_MCP_AUTOSAVE: "true" } };
    await using left = await startAceMcp(settings);
    await using right = await startAceMcp(settings);
    await left.call("ace.learn.sample", { ...SESSION, ...batch("northern", 0) });
    await right.call("ace.learn.sample", { ...SESSION, ...batch("southern", 0) });
    await left.call("ace.learn.sample", { ...SESSION, ...batch("northern", 1) });
    const book = await contents(left);
    expect(book).toContain("southern-crew-0");
    expect(book).toContain("northern-crew-9");
  });

  test("one of them killed in the middle: the other is not blocked by what it left behind", async () => {
    await using folder = await tempFolder("acumen-left-lock");
    const settings = { root: folder.path, env: { ACE_MCP_AUTOSAVE: "true" } };
    await using left = await startAceMcp(settings);
    await using right = await startAceMcp(settings);
    for (let round = 0; round < 6; round += 1) {
      void left
        .call("ace.learn.sample", { ...SESSION, ...batch("northern", round) })
        .catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
    left.process.kill("SIGKILL");
    await left.process.exited;
    const reply = await right.call("ace.learn.sample", { ...SESSION, ...batch("southern", 0) });
    expect(reply.isError, JSON.stringify(reply.body)).toBe(false);
  });
});
