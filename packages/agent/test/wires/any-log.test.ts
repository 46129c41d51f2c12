import fc from "fast-check";
import { expect, test } from "vitest";
import { anyTurn, write } from "../conversation/any-log.ts";
import { serve, SUBJECTS, takeStep } from "./subjects.ts";

/** A turn whose call has a name that every object has a property of. */
const inherited = (name: string): Parameters<typeof write>[0][number] => ({
  prompt: "Go.",
  steps: [
    {
      said: [],
      calls: [
        {
          id: "call_0",
          name,
          input: "",
          maker: 0,
          output: "",
          status: "completed",
          answered: "at once",
        },
      ],
      after: "nothing",
      compactAt: 0,
    },
  ],
});

test.each(SUBJECTS)("the wire $wire accepts whatever logs become", async (subject) => {
  await using service = await serve(subject, () => ({ text: "Yes." }));
  const { provider, model } = service.model;
  const makers = [
    // Without the signatures that a service gave out itself: those of real answers are in another test.
    { by: { provider, model }, plainIds: true },
    { by: { provider: "elsewhere", model: "other" }, metadata: { anthropic: { signature: "s" } } },
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTurn, { minLength: 1, maxLength: 3 }),
      fc.nat(),
      async (turns, end) => {
        const log = write(turns, makers);
        log.events.length = end % (log.events.length + 1);
        log.user("Go on.");
        const answer = await takeStep(log, service.model);
        expect(answer.finish).toBe("stop");
      },
    ),
    { numRuns: 12 },
  );
});

test.each(
  SUBJECTS.flatMap((subject) =>
    ["constructor", "toString", "__proto__"].map((name) => ({ subject, wire: subject.wire, name })),
  ),
)("the wire $wire accepts that a model called $name", async ({ subject, name }) => {
  await using service = await serve(subject, () => ({ text: "Yes." }));
  const { provider, model } = service.model;
  const log = write([inherited(name)], [{ by: { provider, model }, plainIds: true }]);
  log.user("Go on.");
  expect((await takeStep(log, service.model)).finish).toBe("stop");
});
