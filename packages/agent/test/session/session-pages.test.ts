import { expect, test } from "vitest";
import { pageOf } from "../../src/session/session-pages.ts";
import { newMeta } from "./support.ts";

const metas = Array.from({ length: 52 }, (_, second) =>
  newMeta({ updated_at: new Date(second * 1000).toISOString() }),
);

test("a page has 50 sessions unless said otherwise, and the last one has no cursor", () => {
  const first = pageOf(metas, {});
  expect(first.sessions).toEqual(metas.slice(2).toReversed());
  const second = pageOf(metas, { cursor: first.nextCursor ?? "" });
  expect(second).toEqual({ sessions: metas.slice(0, 2).toReversed() });
});

test("a page that takes exactly the rest is the last", () => {
  expect(pageOf(metas.slice(0, 2), { limit: 2 })).not.toHaveProperty("nextCursor");
  expect(pageOf([], {})).toEqual({ sessions: [] });
});

test("a cursor tells where to go on, in characters that any command line takes", () => {
  const { nextCursor } = pageOf(metas, { limit: 1 });
  expect(nextCursor).toMatch(/^[A-Za-z0-9_-]+$/);
});
