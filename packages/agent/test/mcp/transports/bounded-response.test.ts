import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedResponse } from "../../../src/mcp/transports/bounded-response.ts";

const BOUNDS = { maxMessageBytes: 1000, maxRefusalBytes: 10 };

function answer(
  chunks: readonly Uint8Array[],
  { status = 200, type = "text/event-stream" } = {},
): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, { status, headers: { "content-type": type } });
}

async function chunksOf(response: Response): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk).toString("latin1"));
  return chunks;
}

function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

test("a stream of events keeps every byte, and only whole events are passed on", async () => {
  const end = fc.constantFrom("\n", "\r\n", "\r");
  const event = fc.tuple(fc.array(fc.stringMatching(/^[a-z: ]{1,12}$/), { minLength: 1 }), end);
  await fc.assert(
    fc.asyncProperty(
      fc.array(event),
      fc.stringMatching(/^[a-z]{0,5}$/),
      fc.integer({ min: 1, max: 30 }),
      async (events, rest, size) => {
        const whole = events.map(
          ([lines, mark]) => lines.map((line) => line + mark).join("") + mark,
        );
        const text = whole.join("") + rest;
        const chunks = await chunksOf(
          boundedResponse(answer(cut(Buffer.from(text), size)), BOUNDS),
        );
        expect(chunks.join("")).toBe(text);
        let seen = "";
        for (const chunk of chunks.slice(0, -1)) {
          seen += chunk;
          expect(seen).toMatch(/(?:\n\n|\r\r|\r\n\r\n?)$/);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("an event that is too long fails, whether it has an end or not; shorter ones before it arrive", async () => {
  const long = "x".repeat(600);
  for (const last of [`data: ${long}\ndata: ${long}`, `data: ${long}\ndata: ${long}\n\n`]) {
    const response = boundedResponse(
      answer([Buffer.from("data: a\n\n"), ...cut(Buffer.from(last), 700)]),
      BOUNDS,
    );
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("data: a\n\n");
    await expect(reader?.read()).rejects.toThrow(/more than .* MiB/);
  }
  const many = Buffer.from(`data: ${long}\n\n`.repeat(10));
  expect((await chunksOf(boundedResponse(answer(cut(many, 100)), BOUNDS))).join("")).toHaveLength(
    many.length,
  );
});

test("another answer is bounded as a whole, and what a refusal says is cut", async () => {
  const json = { type: "application/json" };
  const fits = cut(Buffer.from("x".repeat(1000)), 300);
  expect(await boundedResponse(answer(fits, json), BOUNDS).text()).toHaveLength(1000);
  const long = cut(Buffer.from("x".repeat(1001)), 300);
  await expect(boundedResponse(answer(long, json), BOUNDS).text()).rejects.toThrow(/more than/);
  const refusal = boundedResponse(
    answer(cut(Buffer.from("no ".repeat(9)), 4), { status: 500 }),
    BOUNDS,
  );
  expect(refusal.status).toBe(500);
  expect(await refusal.text()).toBe("no no no n");
});

test("the end of an answer is told once, whether it was read, given up or had no body", async () => {
  let ends = 0;
  const bounds = { ...BOUNDS, onEnd: () => void (ends += 1) };
  await boundedResponse(answer([Buffer.from("a")]), bounds).text();
  expect(ends).toBe(1);
  await boundedResponse(answer([Buffer.from("a")]), bounds).body?.cancel();
  expect(ends).toBe(2);
  boundedResponse(new Response(null, { status: 204 }), bounds);
  expect(ends).toBe(3);
});
