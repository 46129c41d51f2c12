import { expect, test } from "vitest";
import type { SessionEvent, TransientUpdate } from "../../src/index.ts";
import { answers, RecordingSink, testAgent, toolOf, typesOf } from "./test-agent.ts";

const steps = [
  { text: "I look at it now.", toolCalls: [{ tool: "look", input: {} }], chunkSize: 2 },
  { text: "It is red.", chunkSize: 2 },
];
const tools = [toolOf("look", answers("red"))];

test("a sink that throws changes nothing", async () => {
  await using quiet = await testAgent({ steps, tools });
  await quiet.prompt("go");
  await using host = await testAgent({ steps, tools });
  const fail = (): never => {
    throw new Error("the pipe is closed");
  };
  const sink = { event: fail, update: () => Promise.reject(new Error("no")) };
  expect(await host.prompt("go", { sink })).toMatchObject({ stopReason: "end_turn" });
  expect(typesOf(host.session.events)).toEqual(typesOf(quiet.session.events));
});

test.each([
  [false, ["warn"]],
  [true, ["debug"]],
])(
  "of a sink that throws the log tells; after a cancel (%s) quietly",
  async (isCancelled, level) => {
    const said = new Set<string>();
    const log = (name: string) => (message: string) =>
      void (message.includes("watcher") && said.add(name));
    const logger = {
      debug: log("debug"),
      info: log("info"),
      warn: log("warn"),
      error: log("error"),
    };
    await using host = await testAgent({ steps, tools, agent: { logger } });
    const stop = new AbortController();
    const fail = (): never => {
      if (isCancelled) stop.abort();
      throw new Error("the plan was cancelled");
    };
    await host.prompt("go", { signal: stop.signal, sink: { event: fail } });
    expect([...said]).toEqual(level);
  },
);

test("a slow sink slows the turn and gets everything in order", async () => {
  await using host = await testAgent({ steps, tools });
  const told: string[] = [];
  const events: SessionEvent[] = [];
  let inside = 0;
  const slowly = async (what: string): Promise<void> => {
    inside += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    told.push(what);
    inside -= 1;
  };
  await host.prompt("go", {
    sink: {
      event: (event) => {
        events.push(event);
        return slowly(event.type);
      },
      update: ({ type }) => slowly(type),
    },
  });
  expect(events.map(({ seq }) => seq)).toEqual(
    host.session.events.filter(({ turn_id: id }) => id !== null).map(({ seq }) => seq),
  );
  const firstText = told.indexOf("ASSISTANT_MESSAGE");
  expect(told.slice(0, firstText).filter((type) => type === "delta")).toHaveLength(9);
});

test("a sink that never answers does not keep a turn from being cancelled", async () => {
  await using host = await testAgent({ steps, tools });
  const controller = new AbortController();
  let stuck = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    stuck = resolve;
  });
  const running = host.prompt("go", {
    signal: controller.signal,
    sink: {
      event: () => undefined,
      update: () => {
        stuck();
        return new Promise(() => undefined);
      },
    },
  });
  await reached;
  controller.abort();
  expect(await running).toMatchObject({ stopReason: "cancelled" });
});

test("output of a running call reaches the sink while it runs, joined when the sink is slow", async () => {
  const chatty = toolOf("look", async (_input, { onOutput }) => {
    for (let line = 1; line <= 50; line += 1) {
      onOutput?.(`line ${line}\n`);
      await Promise.resolve();
    }
    return answers("done")();
  });
  await using host = await testAgent({ steps, tools: [chatty] });
  const pieces: string[] = [];
  await host.prompt("go", {
    sink: {
      event: () => undefined,
      update: async (update) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (update.type === "tool_output") pieces.push(update.text);
      },
    },
  });
  expect(pieces.join("")).toBe(
    Array.from({ length: 50 }, (_, index) => `line ${index + 1}\n`).join(""),
  );
  expect(pieces.length).toBeLessThan(20);
});

const SECRET = "hunter2-and-more-of-it";

test("output of any tool is shown without secrets, also where one comes in two pieces, and none after the call's end", async () => {
  let late = (_text: string): void => undefined;
  const chatty = toolOf("look", async (_input, { onOutput }) => {
    late = (text) => onOutput?.(text);
    for (const piece of ["key=", SECRET.slice(0, 9), SECRET.slice(9), " and the hunt"]) {
      onOutput?.(piece);
      await Promise.resolve();
    }
    return answers("done")();
  });
  await using host = await testAgent({ steps, tools: [chatty], agent: { secrets: [SECRET] } });
  const told: TransientUpdate[] = [];
  await host.prompt("go", {
    sink: {
      event: ({ type }) => {
        if (type === "TOOL_RESULT") late("too late");
      },
      update: (update) => void told.push(update),
    },
  });
  const text = told.flatMap((update) => (update.type === "tool_output" ? [update.text] : []));
  expect(text.join("")).toBe("key=[hidden] and the hunt");
});

test("output of bash is redacted once, and none of it is lost", async () => {
  const command = `printf 'a %s b' "${SECRET}"`;
  await using host = await testAgent({
    steps: [{ toolCalls: [{ tool: "bash", input: { command } }] }, { text: "done" }],
    agent: { secrets: [SECRET] },
  });
  const sink = new RecordingSink();
  await host.prompt("go", { sink });
  const text = sink.updates.flatMap((update) =>
    update.type === "tool_output" ? [update.text] : [],
  );
  expect(text.join("")).toBe("a [hidden] b");
});

test("a watcher of the session that never answers delays work outside of turns for a moment only", async () => {
  await using host = await testAgent({ steps });
  let told = 0;
  host.session.subscribe(() => {
    told += 1;
    return new Promise(() => undefined);
  });
  await host.session.setMode("manual");
  expect(host.session.mode).toBe("manual");
  await host.session.setMode("safe");
  expect(told).toBe(2);
});

test("a slow watcher is still waited for outside of turns", async () => {
  await using host = await testAgent({ steps });
  const order: string[] = [];
  host.session.subscribe(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push("watched");
  });
  await host.session.setMode("manual");
  order.push("changed");
  expect(order).toEqual(["watched", "changed"]);
});
