import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  findNearDuplicates,
  type NearDuplicateCluster,
  type NearDuplicateOptions,
} from "../../src/skillbook/near-duplicates.ts";
import { withAnswer } from "../../src/text/answer-line.ts";
import { makeSkill } from "./make-skill.ts";

function find(contents: readonly string[], options?: NearDuplicateOptions): NearDuplicateCluster[] {
  return findNearDuplicates(
    contents.map((content, i) => makeSkill(i + 1, content)),
    options,
  );
}

const merges = (a: string, b: string, options?: NearDuplicateOptions): boolean =>
  find([a, b], options).length === 1;

/** A long beginning, so that one differing word is far below any threshold on similarity alone. */
const LONG =
  "When a customer of the northern region writes that the parcel arrived late and the driver left it with the wrong neighbour";

const MERGE: [string, string][] = [
  ["Use npm ci for builds.", "use NPM ci, for builds"],
  ["Always run the unit tests before you commit.", "Run the unit tests before you commit."],
  ["Run the unit tests before you commit.", "You should run unit tests before you commit!"],
  ["Run unit tests before committing changes.", "Run unit test before commit changes."],
  ["Do not log passwords or tokens.", "Never log passwords or tokens."],
  ["Don't log passwords or tokens", "Do not log passwords or tokens."],
  [
    "You must not log passwords, tokens, keys or cookies",
    "Never log passwords, tokens, keys or cookies",
  ],
  ["Check each invoice date before paying.", "Verify every invoice date before paying."],
  ["Make sure that all inputs are validated.", "Ensure all inputs are validated"],
  ["Split long files. Keep functions short.", "Split long files; keep functions short"],
  ["Retry three times after a timeout", "Retry 3 times after a timeout."],
  ["The limit is 1,000 rows.", "The limit is 1000 rows"],
  ['Quote paths with "double quotes".', "Always quote paths with “double quotes”"],
  ["Run `git fetch` first.", "**Run** `git  fetch` first"],
  [
    "Close database connections when the request handler ends so the pool never runs dry.",
    "Close your database connections when the request handler ends so the pool never runs dry.",
  ],
  [
    "Write the failing test, watch it break, fix the code, then run the whole suite",
    "Write the failing test, watch it break, actually fix the code, and then run the whole suite.",
  ],
  ["Make sure to run the tests", "Run the tests"],
  ["- Close the ticket (always).", "Close the ticket always"],
  ["Run `npm ci`. A retry helps, then.", "Run `npm ci`; a retry helps"],
  ["Install it — twice", "Install it twice"],
  [
    "Send late parcels to logistics\nAnswer: Logistics",
    "Send the late parcels to logistics.\nAnswer: logistics.",
  ],
  [
    `${LONG}.\nAnswer: logistics`,
    `${LONG.replace("arrived late", "arrived very late")}!\nAnswer: logistics`,
  ],
];

const END = "when the reviewer of the northern team asks for a clean history of the main branch";

const KEEP_APART: [string, string][] = [
  // a word more makes another command, scope or amount
  [`Run git push force to origin ${END}`, `Run git push to origin ${END}`],
  [`Force push the branch ${END}`, `Push the branch ${END}`],
  [`Run npm install globally ${END}`, `Run npm install ${END}`],
  [`Get partial refunds ${END}`, `Get refunds ${END}`],
  [`Run make test ${END}`, `Run test ${END}`],
  [`Run sudo apt update ${END}`, `Run apt update ${END}`],
  [`Delete all files ${END}`, `Delete files ${END}`],
  [`Delete old files ${END}`, `Delete files ${END}`],
  [`Hard reset the branch ${END}`, `Reset the branch ${END}`],
  [`Restart production servers ${END}`, `Restart servers ${END}`],
  [`Fix the broken code ${END}`, `Fix the code ${END}`],
  [`Commit recursively ${END}`, `Commit ${END}`],
  [`Set t to zero ${END}`, `Set s to zero ${END}`],
  [`Increment i by two ${END}`, `Increment by two ${END}`],
  [`Note who paid ${END}`, `Note what paid ${END}`],
  // signs
  [`Compute revenue - cost ${END}`, `Compute revenue * cost ${END}`],
  [`Compute revenue - cost ${END}`, `Compute revenue cost ${END}`],
  [`Shift it by - 5 hours ${END}`, `Shift it by 5 hours ${END}`],
  [`Set the flag to {} ${END}`, `Set the flag to [] ${END}`],
  [`Pass {x} on ${END}`, `Pass [x] on ${END}`],
  [`Pass f([x]) on ${END}`, `Pass f(x) on ${END}`],
  [`Pass f() on ${END}`, `Pass f on ${END}`],
  [`Take x ? y : z ${END}`, `Take x y z ${END}`],
  [`Compute (a + b) * c ${END}`, `Compute a + b * c ${END}`],
  [`Keep scores >5 ${END}`, `Keep scores <5 ${END}`],
  [`Delete files foo* ${END}`, `Delete files foo ${END}`],
  [`List files *.ts ${END}`, `List files .ts ${END}`],
  [`Stage . as usual ${END}`, `Stage .. as usual ${END}`],
  [`Divide by n! ${END}`, `Divide by n ${END}`],
  [`Run npm test -- x ${END}`, `Run npm test x ${END}`],
  // the answer
  [`${LONG}\nAnswer: logistics`, `${LONG}\nAnswer: billing`],
  [`${LONG}\nAnswer: A`, `${LONG}\nAnswer: B`],
  [`${LONG}\nAnswer: yes`, `${LONG}\nAnswer: no`],
  [`${LONG}\nAnswer: 4`, `${LONG}\nAnswer: 14`],
  [`${LONG}\nAnswer: logistics`, LONG],
  // numbers, units, signs
  [`${LONG}, wait 3 days`, `${LONG}, wait 5 days`],
  [`${LONG}, wait three days`, `${LONG}, wait five days`],
  [`${LONG}, wait 3 days`, `${LONG}, wait 3 weeks`],
  [`${LONG}, refund 5%`, `${LONG}, refund 5`],
  [`${LONG}, refund $5`, `${LONG}, refund €5`],
  [`${LONG}, refund 1.5`, `${LONG}, refund 15`],
  [`${LONG}, shift by -5`, `${LONG}, shift by +5`],
  [`${LONG}, retry 3 times after 5 seconds`, `${LONG}, retry 5 times after 3 seconds`],
  [`${LONG}, install v1.2.3`, `${LONG}, install v1.2.4`],
  [`${LONG}, ask once`, `${LONG}, ask twice`],
  // commands, code, names
  [`${LONG}, run \`git branch -d x\``, `${LONG}, run \`git branch -D x\``],
  [`${LONG}, pass --force to it`, `${LONG}, pass it`],
  [`${LONG}, set timeoutMs there`, `${LONG}, set timeoutSec there`],
  [`${LONG}, edit src/a.ts`, `${LONG}, edit src/b.ts`],
  [`${LONG}, require x < y`, `${LONG}, require x > y`],
  [`${LONG}, fetch it over http`, `${LONG}, fetch it over https`],
  // negation and its kin
  [`${LONG}, always refund`, `${LONG}, never refund`],
  [`${LONG}, refund`, `${LONG}, don't refund`],
  [`${LONG}, do refund`, `${LONG}, do not refund`],
  [`${LONG}, it can be refunded`, `${LONG}, it can't be refunded`],
  [`${LONG}, never refund`, `${LONG}, never forget to refund`],
  [`${LONG}, never refund`, `${LONG}, never hastily refund`],
  [`${LONG}, refund`, `${LONG}, refuse to refund`],
  [`${LONG}, refund`, `${LONG}, refund unless insured`],
  [`${LONG}, pay with interest`, `${LONG}, pay without interest`],
  [`${LONG}, turn tracking on`, `${LONG}, turn tracking off`],
  [`${LONG}, ask before paying`, `${LONG}, ask after paying`],
  [`${LONG}, increase the limit`, `${LONG}, decrease the limit`],
  [`${LONG}, allow returns`, `${LONG}, deny returns`],
  [`${LONG}, take the first offer`, `${LONG}, take the last offer`],
  [`${LONG}, refund and replace`, `${LONG}, refund or replace`],
  [`${LONG}, refund if all items broke`, `${LONG}, refund if any items broke`],
  [`${LONG}, refund it sometimes`, `${LONG}, refund it always`],
  [`${LONG} darf man erstatten`, `${LONG} darf man nicht erstatten`],
  [`${LONG} можно вернуть`, `${LONG} не можно вернуть`],
  // quoted answers
  [`${LONG}, reply "approved" to them`, `${LONG}, reply "rejected" to them`],
  [`${LONG}, reply 'yes' to them`, `${LONG}, reply 'no' to them`],
  // another thing in the same sentence
  [`${LONG}, route it to team A`, `${LONG}, route it to team B`],
  [`${LONG}, route it to the team`, `${LONG}, route it to the team A`],
  [`${LONG}, route it to billing`, `${LONG}, route it to logistics`],
  [`${LONG}, route it to support`, `${LONG}, route it to support escalations`],
  [`${LONG}, let Support answer`, `${LONG}, let Premium Support answer`],
  [`${LONG}, prefer tabs over spaces`, `${LONG}, prefer spaces over tabs`],
  [`${LONG}, convert miles to kilometres`, `${LONG}, convert kilometres to miles`],
  [`${LONG}, the bot asks the human`, `${LONG}, the human asks the bot`],
  [`${LONG}, the note is signed by staff`, `${LONG}, the note is signed for staff`],
  [`${LONG}, react with 👍`, `${LONG}, react with 👎`],
];

describe("findNearDuplicates", () => {
  it.each(MERGE)("pairs %j with %j", (a, b) => {
    expect(merges(a, b)).toBe(true);
    expect(merges(b, a)).toBe(true);
  });

  it.each(KEEP_APART)("never pairs %j with %j", (a, b) => {
    expect(merges(a, b)).toBe(false);
    expect(merges(b, a)).toBe(false);
    expect(merges(a, b, { threshold: 0 })).toBe(false);
  });

  it("keeps the oldest id and the fullest text", () => {
    const short =
      "Close database connections when the request handler ends so the pool never runs dry.";
    const full = short.replace("database", "actually database");
    expect(find([short, "Something else entirely", full, short.toUpperCase()])).toEqual([
      {
        keepId: "general-00001",
        mergeIds: ["general-00003", "general-00004"],
        content: full,
        similarity: 11 / 12,
      },
    ]);
  });

  it("does not join two lessons through a third that both extend", () => {
    const base =
      "Close connections when the request handler ends so the shared pool never runs dry today";
    const clusters = find([
      base,
      base.replace("connections", "my connections"),
      base.replace("connections", "your connections"),
    ]);
    expect(clusters).toHaveLength(1);
    expect(clusters[0]?.mergeIds).toEqual(["general-00002"]);
  });

  it("compares within a section unless told otherwise", () => {
    const skills = [
      makeSkill(1, "Use npm ci", { section: "a" }),
      makeSkill(2, "Use npm ci", { section: "b" }),
    ];
    expect(findNearDuplicates(skills)).toEqual([]);
    expect(findNearDuplicates(skills, { withinSection: false })).toHaveLength(1);
  });

  it("leaves removed skills alone", () => {
    expect(
      findNearDuplicates([makeSkill(1, "Use it"), makeSkill(2, "Use it", { status: "invalid" })]),
    ).toEqual([]);
  });

  it("keeps decided pairs apart and still joins the others", () => {
    const isKept = (a: string, b: string): boolean => a !== b && !`${a} ${b}`.includes("00003");
    const skills = [1, 2, 3, 4].map((number) => makeSkill(number, "Use npm ci"));
    const expected = [
      expect.objectContaining({ keepId: "general-00001", mergeIds: ["general-00003"] }),
    ];
    expect(findNearDuplicates(skills, { isKept })).toEqual(expected);
    const keptIds = new Set(["general-00001", "general-00002", "general-00004"]);
    expect(findNearDuplicates(skills, { isKept, keptIds })).toEqual(expected);
  });

  it("takes the threshold as given", () => {
    const a = "Run tests today";
    const b = "Run definitely my tests for them today";
    expect(merges(a, b)).toBe(false);
    expect(merges(a, b, { threshold: 0.4 })).toBe(true);
    expect(merges(a, b, { threshold: 0 })).toBe(true);
    expect(merges(a, `${a}.`, { threshold: 1 })).toBe(true);
  });

  it.each([Number.NaN, -0.1, 1.1])("refuses the threshold %d", (threshold) => {
    expect(() => find(["a", "b"], { threshold })).toThrow(
      expect.objectContaining({ code: "ACE_OPTION_INVALID" }),
    );
  });

  it("stays bounded when thousands of lessons share all but their answer, a number or a filler", () => {
    const count = 5_000;
    const numbered = (text: (i: number) => string): string[] =>
      Array.from({ length: count }, (_, i) => text(i));
    expect(find(numbered((i) => withAnswer(LONG, `label${i}`)))).toEqual([]);
    expect(find(numbered((i) => `${LONG} and item ${i} is missing`))).toEqual([]);
    const words = LONG.split(" ");
    const fillers = numbered((i) =>
      words.map((word, k) => ((i >> k) & 1 ? `really ${word}` : word)).join(" "),
    );
    expect(find(fillers).map(({ mergeIds }) => mergeIds.length)).toEqual([count - 1]);
  });

  it("gives the same clusters for any order, each member near each other one", () => {
    const word = fc.constantFrom(
      "run",
      "slow",
      "tests",
      "daily",
      "not",
      "the",
      "3",
      "before",
      "files",
    );
    const content = fc.array(word, { minLength: 1, maxLength: 7 }).map((words) => words.join(" "));
    const contents = fc.array(content, { minLength: 2, maxLength: 30 });
    const threshold = fc.constantFrom(0, 0.5, 0.7, 0.85, 1);
    fc.assert(
      fc.property(contents, threshold, fc.infiniteStream(fc.nat()), (texts, least, numbers) => {
        const skills = texts.map((text, i) => makeSkill(i + 1, text));
        const shuffled = skills
          .map((skill) => ({ skill, key: numbers.next().value }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ skill }) => skill);
        const clusters = findNearDuplicates(skills, { threshold: least });
        expect(findNearDuplicates(shuffled, { threshold: least })).toEqual(clusters);
        const seen = clusters.flatMap(({ keepId, mergeIds }) => [keepId, ...mergeIds]);
        expect(new Set(seen).size).toBe(seen.length);
        for (const { keepId, mergeIds, similarity } of clusters) {
          expect(similarity).toBeGreaterThanOrEqual(least);
          const ids = [keepId, ...mergeIds];
          const members = skills.filter((skill) => ids.includes(skill.id));
          for (const a of members) {
            for (const b of members) {
              if (a !== b) expect(findNearDuplicates([a, b], { threshold: least })).toHaveLength(1);
            }
          }
        }
      }),
    );
  });
});
