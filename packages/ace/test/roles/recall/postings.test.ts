import { expect, test } from "vitest";
import { evidenceOf } from "../../../src/roles/recall/evidence.ts";
import { Postings } from "../../../src/roles/recall/postings.ts";

const KEYS = Int32Array.from([7, -8]);
const WEIGHTS = Uint8Array.from([100, 50]);

test("a feature's evidence follows the cases that have it", () => {
  const postings = new Postings();
  const [number = -1] = postings.add(0, 1, KEYS, WEIGHTS);
  const second = postings.add(1, 1, KEYS, WEIGHTS);
  postings.add(2, 2, KEYS, WEIGHTS);
  postings.settle(3);
  expect(postings.find(7)).toBe(number);
  expect(postings.evidence(number)).toBe(evidenceOf(3, 2, 3));
  postings.remove(1, second);
  postings.settle(2);
  expect(postings.evidence(number)).toBe(evidenceOf(2, 0, 2));
  expect(postings.find(99)).toBe(-1);
  expect(postings.evidence(-1)).toBe(evidenceOf(0, 0, 2));
});

test("scores go to the cases that have the feature, and common features are not followed", () => {
  const postings = new Postings();
  const rare = Int32Array.from([5]);
  for (let slot = 0; slot < 12; slot++) postings.add(slot, 0, KEYS, WEIGHTS);
  const [number = -1] = postings.add(12, 0, rare, Uint8Array.from([10]));
  postings.settle(13);
  const scores = new Float64Array(13);
  const touched: number[] = [];
  postings.addScores(number, 2, scores, (slot) => touched.push(slot));
  postings.addScores(postings.find(7), 2, scores, (slot) => touched.push(slot));
  expect(touched).toEqual([12]);
  expect(scores[12]).toBe(20);
});

test("evidence grows with rarity and with agreement", () => {
  expect(evidenceOf(2, 0, 100)).toBeGreaterThan(evidenceOf(20, 0, 100));
  expect(evidenceOf(20, 380, 100)).toBeGreaterThan(evidenceOf(20, 40, 100));
  expect(evidenceOf(100, 9_900, 100)).toBeGreaterThan(0);
});
