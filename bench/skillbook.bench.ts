import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { estimateTokens, loadSkillbook, saveSkillbook, Skillbook } from "@acumen/ace";
import { atMost, type BenchResult, figure, measure, summarise } from "./bench-result.ts";
import { lessons, randomFrom, sentence } from "./lessons.ts";

const SIZE = 10_000;
const RUNS = 9;

/** The skillbook bars of the design: 10,000 skills, near-duplicates, prompt size. */
export async function run(): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "acumen-bench-"));
  try {
    const book = filled(SIZE);
    return [
      ...(await files(book, join(folder, "book.json"))),
      ...(await picks(book)),
      await apply(book),
      ...(await nearDuplicates()),
      ...promptSizes(),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function filled(count: number): Skillbook {
  const book = new Skillbook();
  book.apply(lessons(count), { origin: "sample" });
  return book;
}

/** The same skills as new objects, as after a load: nothing that was computed for the old ones helps. */
function fresh(book: Skillbook): Skillbook {
  return Skillbook.fromRecord(structuredClone(book.toRecord())).skillbook;
}

function questions(count: number): string[] {
  const random = randomFrom(7);
  return Array.from({ length: count }, () => sentence(random, 20));
}

async function files(book: Skillbook, path: string): Promise<BenchResult[]> {
  const note = `${book.size} skills`;
  const save = await measure(() => saveSkillbook(book, path), RUNS);
  const load = await measure(() => loadSkillbook(path), RUNS);
  return [
    atMost(150, figure("skillbook load", "ms", load, note)),
    atMost(150, figure("skillbook save", "ms", save, note)),
  ];
}

async function picks(book: Skillbook): Promise<BenchResult[]> {
  const asked = questions(100);
  const pick = (from: Skillbook, run: number): string =>
    from.asContext(asked[run % asked.length] ?? "");
  const cold = await measure(
    (from) => pick(from, 0),
    5,
    () => fresh(book),
  );
  const warm = await measure((at) => pick(book, at), asked.length);
  const learning = await measure(
    (at: number) => pick(book, at),
    30,
    (at) => {
      book.apply([
        { type: "ADD", section: "new", content: `A lesson that came in between, number ${at}` },
      ]);
      return at;
    },
  );
  return [
    atMost(
      1_000,
      figure(
        "skillbook first pick after a load",
        "ms",
        cold,
        `${SIZE} skills, prompt text included`,
      ),
    ),
    atMost(
      20,
      figure(
        "skillbook pick, warm",
        "ms",
        warm,
        `${SIZE} skills, 20-word questions, prompt text included`,
      ),
    ),
    figure("skillbook pick after one ADD", "ms", learning, `${SIZE} skills`),
  ];
}

async function apply(book: Skillbook): Promise<BenchResult> {
  const ids = book.skills().map(({ id }) => id);
  const added = lessons(SIZE * 2, 99);
  const batch = (run: number): object[] =>
    Array.from({ length: 1_000 }, (_, i) => {
      const skillId = ids[(i * 7 + run * 13) % ids.length];
      if (i % 10 < 4) return added[(run * 400 + i) % added.length] ?? {};
      if (i % 10 < 6)
        return {
          type: "UPDATE",
          skillId,
          content: `Corrected in run ${run} at ${i}: check it twice.`,
        };
      if (i % 10 < 9) return { type: "TAG", skillId, tag: i % 2 ? "helpful" : "harmful" };
      return { type: "REMOVE", skillId };
    });
  const measured = await measure(
    ({ copy, operations }: { copy: Skillbook; operations: object[] }) => copy.apply(operations),
    RUNS,
    (at) => ({ copy: fresh(book), operations: batch(at) }),
  );
  const note = `on ${book.size} skills: 40% ADD, 20% UPDATE, 30% TAG, 10% REMOVE`;
  return atMost(20, figure("skillbook apply 1,000 operations", "ms", measured, note));
}

/** Ten small books for each large one, in turns: as many skills, and whatever else the machine does hits both alike. */
async function nearDuplicates(): Promise<BenchResult[]> {
  const small = filled(SIZE / 10);
  const large = filled(SIZE);
  const merge = (books: readonly Skillbook[]): void => {
    for (const book of books) book.mergeNearDuplicates({ withinSection: false });
  };
  const tenSmall: number[] = [];
  const oneLarge: number[] = [];
  // The first turn is not counted: it pays for compiling.
  for (let turn = 0; turn <= RUNS; turn++) {
    const few = await measure(merge, 1, () => Array.from({ length: 10 }, () => fresh(small)));
    const many = await measure(merge, 1, () => [fresh(large)]);
    if (turn === 0) continue;
    tenSmall.push(few.median / 10);
    oneLarge.push(many.median);
  }
  const ratios = oneLarge.map((time, turn) => time / (tenSmall[turn] ?? Number.NaN));
  const merged = fresh(large).mergeNearDuplicates({ withinSection: false }).merged;
  const note = `finds and merges ${merged}`;
  return [
    figure("near-duplicates, 1,000 skills", "ms", summarise(tenSmall)),
    atMost(2_000, figure("near-duplicates, 10,000 skills", "ms", summarise(oneLarge), note)),
    atMost(15, figure("near-duplicates, 10,000 against 1,000", "times", summarise(ratios))),
    ...(await worstCases()),
  ];
}

/** Books made to defeat a search by shared words. */
async function worstCases(): Promise<BenchResult[]> {
  const shared = sentence(randomFrom(3), 20);
  const cases: [string, (i: number) => string][] = [
    ["share the same 20 words", (i) => `${shared} ${sentence(randomFrom(i), 5)}`],
    ["differ only in their answer", (i) => `${shared}\nAnswer: label${i}`],
    [
      "differ only in fillers",
      (i) =>
        shared
          .split(" ")
          .map((word, k) => ((i >> k) & 1 ? `really ${word}` : word))
          .join(" "),
    ],
  ];
  const results: BenchResult[] = [];
  for (const [name, content] of cases) {
    const book = new Skillbook();
    book.apply(
      Array.from({ length: SIZE }, (_, i) => ({ type: "ADD", section: "s", content: content(i) })),
    );
    const measured = await measure(
      (copy) => copy.mergeNearDuplicates(),
      3,
      () => fresh(book),
    );
    results.push(
      atMost(
        2_000,
        figure(`near-duplicates, 10,000 that ${name}`, "ms", measured, `${book.size} skills`),
      ),
    );
  }
  return results;
}

function promptSizes(): BenchResult[] {
  return [100, 1_000, SIZE].map((count) => {
    const book = filled(count);
    const tokens = questions(20).map((question) => estimateTokens(book.asContext(question)));
    const result = figure(
      `prompt block, ${count} skills`,
      "tokens",
      summarise(tokens),
      "default budget",
    );
    return atMost(4_000, result, Math.max(...tokens));
  });
}
