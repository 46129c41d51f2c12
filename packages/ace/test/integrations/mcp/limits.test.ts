import { AcumenError } from "@acumen/core";
import { describe, expect, it } from "vitest";
import { checkWireModel, matchesGlob } from "../../../src/integrations/mcp/model-policy.ts";
import type { SampleRequest } from "../../../src/integrations/mcp/models.ts";
import {
  checkAskSize,
  checkFeedbackSize,
  checkSampleSizes,
} from "../../../src/integrations/mcp/sizes.ts";
import { charCount } from "../../../src/integrations/mcp/text-length.ts";
import { testConfig } from "./support/engine.ts";

function detailsOf(work: () => void): Record<string, unknown> | undefined {
  try {
    work();
  } catch (error) {
    if (AcumenError.isInstance(error)) return { ...error.details };
    throw error;
  }
  return undefined;
}

const sample = (question: string, rest: Partial<SampleRequest> = {}): SampleRequest => ({
  question,
  context: "",
  ground_truth: null,
  ...rest,
});
const samples = (...list: SampleRequest[]) => ({ session_id: "s", epochs: 1, samples: list });

describe("sizes", () => {
  const limits = testConfig({ maxPromptChars: 10, maxCallChars: 25, maxSamplesPerCall: 3 });

  it("let through what is equal to the limit", () => {
    const request = { session_id: "s", question: "12345", context: "67890" };
    expect(detailsOf(() => checkAskSize(request, limits))).toBeUndefined();
    expect(detailsOf(() => checkAskSize({ ...request, context: "678901" }, limits))).toEqual({
      field: "question+context+metadata",
      char_count: 11,
      max_prompt_chars: 10,
    });
  });

  it("count ask's metadata as JSON", () => {
    const request = { session_id: "s", question: "1", context: "", metadata: { a: 1234 } };
    expect(detailsOf(() => checkAskSize(request, limits))).toMatchObject({ char_count: 11 });
  });

  it("5.5 #18: name the sample, counted from 0", () => {
    const details = detailsOf(() =>
      checkSampleSizes(samples(sample("1234"), sample("12345678901")), limits),
    );
    expect(details).toMatchObject({ field: "samples[1]", char_count: 11, max_prompt_chars: 10 });
  });

  it("count ground truth and metadata of samples", () => {
    const truth = samples(sample("1", { ground_truth: "1234567890" }));
    expect(detailsOf(() => checkSampleSizes(truth, limits))).toMatchObject({ char_count: 11 });
    const meta = samples(sample("1", { metadata: { a: 12345 } }));
    expect(detailsOf(() => checkSampleSizes(meta, limits))).toMatchObject({ char_count: 12 });
  });

  it("5.5 #17: refuse more samples than configured, before anything else", () => {
    const four = samples(...Array.from({ length: 4 }, () => sample("x".repeat(99))));
    expect(detailsOf(() => checkSampleSizes(four, limits))).toEqual({
      field: "samples",
      sample_count: 4,
      max_samples_per_call: 3,
    });
  });

  it("bound a call in total", () => {
    const three = samples(sample("123456789"), sample("123456789"), sample("12345678"));
    expect(detailsOf(() => checkSampleSizes(three, limits))).toEqual({
      field: "call",
      char_count: 26,
      max_call_chars: 25,
    });
  });

  it("by default let through the largest call that the single limits allow", () => {
    const largest = samples(...Array.from({ length: 25 }, () => sample("x".repeat(100_000))));
    expect(detailsOf(() => checkSampleSizes(largest, testConfig()))).toBeUndefined();
  });

  it("5.5 #25: count all fields of feedback, ground truth among them", () => {
    const request = {
      session_id: "s",
      question: "12",
      context: "34",
      answer: "56",
      feedback: "78",
      ground_truth: "90",
    };
    expect(detailsOf(() => checkFeedbackSize(request, limits))).toBeUndefined();
    expect(
      detailsOf(() => checkFeedbackSize({ ...request, ground_truth: "901" }, limits)),
    ).toMatchObject({ char_count: 11, max_prompt_chars: 10 });
  });

  it("bound ids, whatever the prompt limit", () => {
    const request = { session_id: "a-session", question: "1", context: "" };
    expect(detailsOf(() => checkAskSize(request, limits))).toBeUndefined();
    expect(
      detailsOf(() => checkAskSize({ ...request, session_id: "x".repeat(10_001) }, limits)),
    ).toMatchObject({ field: "session_id", char_count: 10_001 });
  });

  it("count code points", () => {
    expect(charCount("a😀b")).toBe(3);
    expect(charCount("\uD83D lone")).toBe(6);
  });
});

describe("models on the wire", () => {
  it("never are scripted ones", () => {
    for (const model of ["scripted/file.json", "SCRIPTED/x", " scripted/x", "scripted"]) {
      expect(detailsOf(() => checkWireModel(model, undefined))).toMatchObject({
        field: "session_config.model",
        model,
      });
    }
    expect(detailsOf(() => checkWireModel("scripted/x", ["*"]))).toBeDefined();
    expect(detailsOf(() => checkWireModel("unscripted/x", undefined))).toBeUndefined();
  });

  it("keep to ACE_MCP_ALLOWED_MODELS", () => {
    const allowed = ["openai/gpt-*", "builtin/recall"];
    for (const model of ["openai/gpt-4o", "builtin/recall", undefined])
      expect(detailsOf(() => checkWireModel(model, allowed))).toBeUndefined();
    for (const model of ["openai/o1", "xopenai/gpt-4o", "builtin/recall2", ""])
      expect(detailsOf(() => checkWireModel(model, allowed))).toBeDefined();
  });

  it("match globs by parts", () => {
    expect(matchesGlob("abc", "abc")).toBe(true);
    expect(matchesGlob("abc", "*")).toBe(true);
    expect(matchesGlob("abc", "a*c")).toBe(true);
    expect(matchesGlob("ab", "ab*b")).toBe(false);
    expect(matchesGlob("a.c", "a?c")).toBe(false);
    expect(matchesGlob("xaybzc", "*a*b*c")).toBe(true);
    expect(matchesGlob("xaybz", "*a*b*c")).toBe(false);
    expect(matchesGlob("a".repeat(200), `${"*a".repeat(100)}*b`)).toBe(false);
  });
});
