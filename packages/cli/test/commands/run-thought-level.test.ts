import { describe, expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { lastRecord, recordsOf } from "../support/run-main.ts";

function thinks(thoughtLevel: string): object {
  return { expect: { thoughtLevel }, text: `Thought ${thoughtLevel}.` };
}

const LEVELS = ["low", "high"];

describe("acumen run --thought-level", () => {
  test("tells the model, and says so", async () => {
    await using bench = await agentBench({ thoughtLevels: LEVELS, steps: [thinks("high")] });
    const { code, stdout, stderr } = await bench.run(["go", "--thought-level", "high"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Thought high.\n" });
    expect(stderr).toContain(", thought level high, mode");
  });

  test("is refused where the model does not have it, before anything is stored", async () => {
    await using bench = await agentBench({ thoughtLevels: LEVELS, steps: [thinks("high")] });
    const { code, stderr } = await bench.run(["go", "--thought-level", "max"]);
    expect(code).toBe(2);
    expect(stderr).toContain('no thought level "max": choose one of low, high');
    const { code: unknown, stderr: said } = await bench.run(["go", "--thought-level", "much"]);
    expect(unknown).toBe(2);
    expect(said).toContain("none, minimal, low, medium, high, xhigh, max");
    const list = await bench.acumen(["sessions", "list", "--json"]);
    expect(lastRecord(list)["sessions"]).toEqual([]);
  });

  test("stays with the session, until a flag says otherwise", async () => {
    await using bench = await agentBench({
      thoughtLevels: LEVELS,
      steps: [thinks("low"), { text: "unused" }],
    });
    await bench.run(["go", "--thought-level", "low"]);
    await bench.write(
      "script.json",
      JSON.stringify({ thoughtLevels: LEVELS, steps: [thinks("low")] }),
    );
    expect((await bench.run(["on", "--continue"])).stdout).toBe("Thought low.\n");
    await bench.write(
      "script.json",
      JSON.stringify({ thoughtLevels: LEVELS, steps: [thinks("high")] }),
    );
    const changed = await bench.run(["on", "--continue", "--thought-level", "high", "--json"]);
    expect(lastRecord(changed)).toMatchObject({ text: "Thought high." });
    expect(recordsOf(changed)).toContainEqual(
      expect.objectContaining({
        type: "MODEL_CHANGED",
        payload: { model: bench.model, previous: bench.model, thought_level: "high" },
      }),
    );
  });
});

describe("a thought level in the settings", () => {
  test("counts for models that have it; the environment and a flag win", async () => {
    const script = (level: string): string =>
      JSON.stringify({ thoughtLevels: LEVELS, steps: [thinks(level)] });
    await using bench = await agentBench({ steps: [] });
    await bench.write("home/config.json", '{"thoughtLevel":"low"}');
    await bench.write("script.json", script("low"));
    expect((await bench.run(["go"])).stdout).toBe("Thought low.\n");
    await bench.write("script.json", script("high"));
    const variables = { ACUMEN_THOUGHT_LEVEL: "high" };
    expect((await bench.run(["go"], { variables })).stdout).toBe("Thought high.\n");
    await bench.write("script.json", script("low"));
    const flag = await bench.run(["go", "--thought-level", "low"], { variables });
    expect(flag.stdout).toBe("Thought low.\n");
  });

  test("is left out for a model that does not have it, and the run says so", async () => {
    await using bench = await agentBench({ steps: [thinks("default")] });
    await bench.write("home/config.json", '{"thoughtLevel":"low"}');
    const { code, stdout, stderr } = await bench.run(["go"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Thought default.\n" });
    const said = stderr.replaceAll(/\s+/g, " ");
    expect(said).toContain("has no thought level low (from the settings file), its default holds.");
  });

  test("that is none is an error that names the setting", async () => {
    await using bench = await agentBench({ steps: [] });
    await bench.write("home/config.json", '{"thoughtLevel":"much"}');
    const { code, stderr } = await bench.run(["go"]);
    expect(code).toBe(2);
    expect(stderr).toContain('"thoughtLevel"');
  });
});
