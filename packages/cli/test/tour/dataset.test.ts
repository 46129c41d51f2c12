import { pathToFileURL } from "node:url";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { loadDataset } from "../../src/tour/dataset.ts";
import { questionOf } from "../../src/tour/ticket.ts";
import { largestOverlap } from "../../src/tour/word-overlap.ts";

const { learn, heldOut, queues } = await loadDataset();
const all = [...learn, ...heldOut];

describe("the tour's tickets", () => {
  test("are at least 200 questions of one job with 6 to 8 queues", () => {
    expect(all.length).toBeGreaterThanOrEqual(200);
    expect(heldOut.length).toBeGreaterThanOrEqual(60);
    expect(queues.length).toBeGreaterThanOrEqual(6);
    expect(queues.length).toBeLessThanOrEqual(8);
  });

  test("share less than 0.6 of their words between exam and lessons", () => {
    const overlap = largestOverlap(heldOut.map(questionOf), learn.map(questionOf));
    expect(overlap).toBeLessThan(0.6);
    // A measure that finds nothing in common would prove nothing.
    expect(overlap).toBeGreaterThan(0.3);
  });

  test("share less than 0.6 of their words even when common words are left out", () => {
    const common = commonWords();
    const bare = (text: string): string =>
      text
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => !common.has(word))
        .join(" ");
    const overlap = largestOverlap(
      heldOut.map((ticket) => bare(questionOf(ticket))),
      learn.map((ticket) => bare(questionOf(ticket))),
    );
    expect(overlap).toBeLessThan(0.6);
  });

  test("are all different, in id, subject and text", () => {
    for (const field of ["id", "subject", "text"] as const) {
      const values = all.map((ticket) => ticket[field].toLowerCase());
      expect(new Set(values).size, field).toBe(values.length);
    }
  });

  test("are balanced: no queue has less than half or more than twice its fair share", () => {
    for (const part of [learn, heldOut]) {
      const fair = part.length / queues.length;
      for (const queue of queues) {
        const count = part.filter((ticket) => ticket.queue === queue).length;
        expect(count, queue).toBeGreaterThanOrEqual(fair / 2);
        expect(count, queue).toBeLessThanOrEqual(fair * 2);
      }
    }
  });

  test("never name their queue", () => {
    for (const ticket of all) expect(questionOf(ticket)).not.toContain(ticket.queue);
  });

  test("are plain text of one line each", () => {
    for (const ticket of all) {
      expect(`${ticket.subject}${ticket.text}`).toMatch(/^[\p{L}\p{N}\p{P}\p{Zs}%+]+$/u);
      expect(ticket.text.length).toBeLessThanOrEqual(400);
    }
  });
});

describe("a damaged ticket file", () => {
  const good = { id: "a", use: "learn", queue: "q", subject: "s", text: "t" };

  test.each([
    ["not JSON", "{", "Line 2"],
    ["a list", "[]", "Line 2"],
    ["an unknown use", JSON.stringify({ ...good, use: "exam" }), '"use"'],
    ["an empty text", JSON.stringify({ ...good, text: " " }), '"text"'],
    ["a missing queue", JSON.stringify({ ...good, queue: undefined }), '"queue"'],
    ["no ticket for the exam", JSON.stringify({ ...good, id: "b" }), "held out"],
  ])("with %s is refused by name", async (_case, line, named) => {
    await using folder = await tempFolder();
    const path = join(folder.path, "tickets.jsonl");
    await writeFile(path, `${JSON.stringify(good)}\n${line}\n`);
    await expect(loadDataset(pathToFileURL(path))).rejects.toMatchObject({
      code: "CLI_DATA_INVALID",
      message: expect.stringContaining(named) as string,
    });
  });
});

/** Words that appear in more than one ticket of ten. */
function commonWords(): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const ticket of all) {
    for (const word of new Set(
      questionOf(ticket)
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u),
    )) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return new Set([...counts].filter(([, count]) => count > all.length / 10).map(([word]) => word));
}
