import { AcumenError } from "@acumen/core";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createRequestParser,
  type Issue,
  modelLimits,
  REPLY_MODELS,
} from "../../../src/integrations/mcp/models.ts";
import { nestingExceeds } from "../../../src/integrations/mcp/nesting.ts";
import { toolCatalogue } from "../../../src/integrations/mcp/tool-catalogue.ts";
import { TOOL_NAMES, type ToolName } from "../../../src/integrations/mcp/tool-names.ts";
import { testConfig } from "./support/engine.ts";

const parser = createRequestParser(modelLimits(testConfig()));

function issuesOf(tool: ToolName, args: unknown): readonly Issue[] {
  try {
    parser.parse(tool, args);
  } catch (error) {
    if (AcumenError.isInstance(error)) return error.details["issues"] as Issue[];
    throw error;
  }
  return [];
}

const pathsOf = (tool: ToolName, args: unknown): string[] =>
  issuesOf(tool, args).map(({ path }) => path);

const askWith = (rest: object) => ({ session_id: "s", question: "q", ...rest });

describe("requests", () => {
  it("5.5 #1: session_config with all fields or temperature alone is valid; an empty model and 2.5 degrees are not", () => {
    const all = { model: "m", temperature: 0.5, max_tokens: 10 };
    expect(parser.parse("ace.ask", askWith({ session_config: all })).session_config).toEqual(all);
    expect(
      parser.parse("ace.ask", askWith({ session_config: { temperature: 1 } })).session_config,
    ).toEqual({ temperature: 1 });
    expect(pathsOf("ace.ask", askWith({ session_config: { model: "" } }))).toEqual([
      "session_config.model",
    ]);
    expect(pathsOf("ace.ask", askWith({ session_config: { temperature: 2.5 } }))).toEqual([
      "session_config.temperature",
    ]);
  });

  it("5.5 #2: ask needs session_id and question; 100001 characters or an extra key are refused", () => {
    expect(parser.parse("ace.ask", askWith({}))).toEqual(askWith({ context: "" }));
    expect(pathsOf("ace.ask", {})).toEqual(["session_id", "question"]);
    expect(pathsOf("ace.ask", askWith({ question: "x".repeat(100_001) }))).toEqual(["question"]);
    expect(pathsOf("ace.ask", askWith({ question: "x".repeat(100_000) }))).toEqual([]);
    expect(pathsOf("ace.ask", askWith({ learn: true }))).toEqual(["learn"]);
  });

  it("counts characters as JSON Schema does: an emoji is one", () => {
    expect(pathsOf("ace.ask", askWith({ question: "😀".repeat(100_000) }))).toEqual([]);
    expect(pathsOf("ace.ask", askWith({ question: "😀".repeat(100_001) }))).toEqual(["question"]);
  });

  it("5.5 #3: learn.sample with 0 or 26 samples is refused", () => {
    const many = (count: number) => ({
      session_id: "s",
      samples: Array.from({ length: count }, () => ({ question: "q" })),
    });
    expect(pathsOf("ace.learn.sample", many(0))).toEqual(["samples"]);
    expect(pathsOf("ace.learn.sample", many(26))).toEqual(["samples"]);
    expect(parser.parse("ace.learn.sample", many(25)).samples[0]).toEqual({
      question: "q",
      context: "",
      ground_truth: null,
    });
  });

  it("5.5 #4: get with limit 50 passes, 201 does not", () => {
    expect(parser.parse("ace.skillbook.get", { session_id: "s" })).toEqual({
      session_id: "s",
      limit: 20,
      include_invalid: false,
    });
    expect(pathsOf("ace.skillbook.get", { session_id: "s", limit: 50 })).toEqual([]);
    expect(pathsOf("ace.skillbook.get", { session_id: "s", limit: 201 })).toEqual(["limit"]);
  });

  it("5.5 #6: load with an extra key is refused", () => {
    const args = { session_id: "s", path: "p.json", replace: true };
    expect(pathsOf("ace.skillbook.load", args)).toEqual(["replace"]);
  });

  it("names every issue with its path", () => {
    const args = {
      session_id: "",
      samples: [{ question: "q" }, { question: "", ground_truth: 4, note: 1 }],
      epochs: 21,
    };
    expect(pathsOf("ace.learn.sample", args).toSorted()).toEqual(
      [
        "session_id",
        "samples[1].question",
        "samples[1].ground_truth",
        "samples[1].note",
        "epochs",
      ].toSorted(),
    );
  });

  it("refuses metadata that nests beyond reason, however deep", () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`);
    expect(pathsOf("ace.ask", askWith({ metadata: deep }))).toEqual(["metadata"]);
    expect(nestingExceeds({ a: { b: 1 } }, 2)).toBe(false);
    expect(nestingExceeds({ a: { b: 1 } }, 0)).toBe(true);
  });

  it("keeps odd keys of metadata, __proto__ among them, out of harm's way", () => {
    const args: unknown = JSON.parse(
      '{"session_id":"s","question":"q","metadata":{"__proto__":{"polluted":1},"constructor":2}}',
    );
    parser.parse("ace.ask", args);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const own: unknown = JSON.parse('{"session_id":"s","question":"q","__proto__":{"a":1}}');
    expect(pathsOf("ace.ask", own)).toEqual(["__proto__"]);
  });
});

describe("objects that a host sends as JSON strings", () => {
  it("are parsed for samples, session_config and metadata", () => {
    const samples = JSON.stringify([{ question: "q", metadata: { a: 1 } }]);
    const parsed = parser.parse("ace.learn.sample", {
      session_id: "s",
      samples,
      session_config: "{}",
    });
    expect(parsed.samples[0]).toMatchObject({ question: "q", metadata: { a: 1 } });
    expect(parsed.session_config).toEqual({});
    expect(parser.parse("ace.ask", askWith({ metadata: '{"a":1}' })).metadata).toEqual({ a: 1 });
    const inner = { session_id: "s", samples: [{ question: "q", metadata: '{"a":1}' }] };
    expect(parser.parse("ace.learn.sample", inner).samples[0]?.metadata).toEqual({ a: 1 });
  });

  it("are refused with the expected type when they are no JSON or of another type", () => {
    for (const samples of ["[", "5", '{"question":"q"}', `${"[".repeat(200)}${"]".repeat(200)}`]) {
      const issues = issuesOf("ace.learn.sample", { session_id: "s", samples });
      expect(issues.length).toBeGreaterThan(0);
      expect(issues[0]?.path).toMatch(/^samples/);
    }
    expect(issuesOf("ace.learn.sample", { session_id: "s", samples: "x" })[0]?.message).toContain(
      "expected array, received string",
    );
  });
});

describe("the models and the published schemas", () => {
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<unknown>("", "x", 0, 1, 2, 20, 21, 200, 201, -1) },
    fc.constantFrom<unknown>(null, true, 1.5, {}, [], { model: "m" }, { temperature: 3 }),
    fc.constantFrom<unknown>({ max_tokens: 1 }, { other: 1 }, [{ question: "q" }], [{}], ["q"]),
    fc.constantFrom<unknown>([{ question: "q", ground_truth: null, metadata: { a: [1] } }]),
    fc.constantFrom<unknown>([{ question: "q", context: 5 }], [{ question: "q", x: 1 }]),
    fc.constantFrom<unknown>(
      Array.from({ length: 26 }, () => ({ question: "q" })),
      { a: {} },
    ),
    fc.constantFrom<unknown>({ temperature: 0 }, { temperature: 2 }, { max_tokens: 0 }),
  );
  const base: Record<ToolName, Record<string, unknown>> = {
    "ace.ask": { session_id: "s", question: "q" },
    "ace.learn.sample": { session_id: "s", samples: [{ question: "q" }] },
    "ace.learn.feedback": { session_id: "s", question: "q", answer: "a", feedback: "f" },
    "ace.skillbook.get": { session_id: "s" },
    "ace.skillbook.save": { session_id: "s", path: "p" },
    "ace.skillbook.load": { session_id: "s", path: "p" },
  };
  const ajv = new AjvJsonSchemaValidator();

  it.each(toolCatalogue(testConfig()))("$name: agree on any arguments", (tool) => {
    const validator = ajv.getValidator(tool.inputSchema);
    const own = Object.keys(tool.inputSchema["properties"] as object);
    const changes = fc.dictionary(fc.constantFrom(...own, "extra"), value, { maxKeys: 2 });
    const dropped = fc.subarray(Object.keys(base[tool.name]), { maxLength: 1 });
    fc.assert(
      fc.property(changes, fc.option(dropped, { nil: [] }), (changed, without) => {
        const candidate: Record<string, unknown> = { ...base[tool.name], ...changed };
        for (const key of without) delete candidate[key];
        const verdict = validator(candidate).valid;
        expect({ candidate, valid: issuesOf(tool.name, candidate).length === 0 }).toEqual({
          candidate,
          valid: verdict,
        });
      }),
      { numRuns: 400 },
    );
  });

  it("agree on replies", () => {
    const reply: Record<ToolName, Record<string, unknown>> = {
      "ace.ask": { session_id: "s", answer: "", skill_count: 0 },
      "ace.learn.sample": {
        session_id: "s",
        processed: 1,
        failed: 0,
        skill_count_before: 0,
        skill_count_after: 1,
        new_skill_count: 1,
      },
      "ace.learn.feedback": {
        session_id: "s",
        learned: true,
        skill_count_before: 0,
        skill_count_after: 1,
        new_skill_count: 1,
      },
      "ace.skillbook.get": {
        session_id: "s",
        stats: { a: 1 },
        skills: [
          {
            id: "a",
            content: "b",
            topic: null,
            helpful: null,
            harmful: 1,
            neutral: 0,
            status: "x",
          },
        ],
      },
      "ace.skillbook.save": { session_id: "s", path: "/p", saved_skill_count: 1 },
      "ace.skillbook.load": { session_id: "s", path: "/p", skill_count: 1 },
    };
    for (const tool of toolCatalogue(testConfig())) {
      const validator = ajv.getValidator(tool.outputSchema);
      const good = reply[tool.name];
      for (const candidate of [good, { ...good, extra: 1 }, { ...good, session_id: 1 }, {}]) {
        expect(REPLY_MODELS[tool.name].safeParse(candidate).success).toBe(
          validator(candidate).valid,
        );
      }
    }
    expect(TOOL_NAMES).toHaveLength(6);
  });
});
