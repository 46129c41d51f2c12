import { agentError } from "@acumen/agent";
import { expect, test } from "vitest";
import { commandBench } from "./support/command-bench.ts";

test("/status shows what a session is and has used", async () => {
  await using bench = await commandBench({ steps: [{ text: "Hi." }], mode: "auto" });
  const { session, cwd } = bench;
  expect(await bench.say("/status")).toContain("- Context: 0");
  await bench.prompt("hello");
  const said = await bench.say("/status");
  expect(said).toContain(`- Session: \`${session.id}\`\n- Folder: \`${cwd}\` (not trusted)`);
  expect(said).toContain("- Model: `scripted/inline`\n- Mode: auto, acts as safe");
  expect(said).toMatch(/- Used: [1-9]\d* input and [1-9]\d* output tokens/);
  expect(said).toMatch(/- Tools: \d+\n- Answered for good: 0 questions/);
});

test("/mode shows and changes the mode, whatever the case, and says how it acts here", async () => {
  await using bench = await commandBench();
  expect(await bench.say("/mode")).toBe("Mode safe: reads run, everything else is asked.");
  expect(await bench.say("/mode Manual")).toBe("Mode manual: everything is asked.");
  expect(bench.session.mode).toBe("manual");
  expect(await bench.say("/mode auto")).toContain("Here it acts as safe");
  expect(await bench.say("/mode yolo")).toContain("There is no mode `yolo`");
  expect(bench.session.mode).toBe("auto");
  const { meta } = await bench.agent.store.read(bench.session.id);
  expect(meta.mode).toBe("auto");
});

test("/mode hands out no mode that the process may not", async () => {
  const checkMode = (mode: string): void => {
    if (mode === "auto") throw agentError("AGENT_RULE_INVALID", "Not here.");
  };
  await using bench = await commandBench({ hosted: { checkMode } });
  expect(await bench.say("/mode auto")).toBe("AGENT_RULE_INVALID: Not here.");
  expect(bench.session.mode).toBe("safe");
  expect(await bench.say("/mode manual")).toContain("Mode manual");
});

test("/model lists the models and marks the current one, also one that is not listed", async () => {
  const models = [
    { id: "acme/one", name: "One" },
    { id: "acme/two", name: "acme/two" },
  ];
  await using bench = await commandBench({ models });
  expect(await bench.say("/model")).toBe(
    "- `scripted/inline` (current)\n- `acme/one`: One\n- `acme/two`\n\n`/model ID` chooses another one.",
  );
  expect(await bench.say("/model acme/two")).toBe("Model `acme/two`.");
  expect(bench.session.model).toBe("acme/two");
  expect(await bench.say("/model")).toContain("- `acme/two` (current)");
  expect(bench.session.events.filter(({ type }) => type === "MODEL_CHANGED")).toHaveLength(1);
});

test("/model takes what is on offer and nothing else", async () => {
  await using bench = await commandBench();
  for (const id of [
    "scripted//tmp/x.json",
    "recorded/x",
    "builtin/recall",
    "nonsense",
    "acme/x",
    "anthropic/claude-sonnet-4-5",
  ]) {
    const said = await bench.say(`/model ${id}`);
    expect(said).toMatch(/ is not on offer here\. /);
    expect(bench.session.model).toBe("scripted/inline");
  }
  await using offered = await commandBench({ models: [{ id: "scripted/own", name: "Own" }] });
  expect(await offered.say("/model scripted/own")).toBe("Model `scripted/own`.");
});

test("/model keeps a long list short, with the current one in it", async () => {
  const models = Array.from({ length: 90 }, (_each, index) => ({
    id: `acme/m${index}`,
    name: `M${index}`,
  }));
  await using bench = await commandBench({
    models: [...models, { id: "scripted/inline", name: "" }],
  });
  const said = await bench.say("/model");
  expect(said?.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(62);
  expect(said).toContain("- `scripted/inline` (current)\n- and 30 more");
});
