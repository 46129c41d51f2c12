import fc from "fast-check";
import { expect, test } from "vitest";
import { type Claimant, NameSettlement } from "../../src/mcp/name-settlement.ts";

const reject = (...tools: string[]): Claimant => ({ onConflict: "reject", tools });
const qualify = (...tools: string[]): Claimant => ({ onConflict: "qualify", tools });

class Settled {
  readonly names = new NameSettlement();
  readonly claims = new Map<string, Claimant>();

  follow(...servers: string[]): this {
    this.names.follow(servers);
    return this;
  }

  settle(claims: Readonly<Record<string, Claimant | undefined>> = {}): this {
    for (const [server, claim] of Object.entries(claims)) {
      if (claim === undefined) this.claims.delete(server);
      else this.claims.set(server, claim);
    }
    this.names.settle((server) => this.claims.get(server));
    return this;
  }

  /** As if a model were given all of them. */
  freeze(): this {
    for (const server of this.names.rank) {
      for (const [raw, exposed] of this.names.of(server)?.exposed ?? []) {
        this.names.freeze(server, raw, exposed);
      }
    }
    return this;
  }

  exposed(): Record<string, string[]> {
    return Object.fromEntries(
      this.names.rank.map((server) => [
        server,
        [...(this.names.of(server)?.exposed.values() ?? [])],
      ]),
    );
  }

  isRejected(server: string): boolean {
    return this.names.of(server)?.rejected !== undefined;
  }
}

test("an earlier server that connects late takes its names back, also those that were seen", () => {
  const settled = new Settled()
    .follow("a", "b")
    .settle({ b: reject("x", "y") })
    .freeze();
  expect(settled.exposed()).toEqual({ a: [], b: ["x", "y"] });
  settled.settle({ a: reject("X") });
  expect(settled.exposed()).toEqual({ a: ["X"], b: [] });
  expect(settled.isRejected("b")).toBe(true);
  // Nothing of what b once had stands in its way.
  expect(settled.freeze().settle().exposed()).toEqual({ a: ["X"], b: [] });
});

test("where the later one qualifies, only the name that clashes changes", () => {
  const settled = new Settled()
    .follow("a", "b")
    .settle({ b: qualify("x", "y") })
    .freeze();
  settled.settle({ a: reject("x") });
  expect(settled.exposed()).toEqual({ a: ["x"], b: ["y", "mcp__b__x"] });
});

test("a known server that adds a name takes it from nobody", () => {
  const settled = new Settled()
    .follow("a", "b")
    .settle({ a: reject("x"), b: reject("y") })
    .freeze();
  settled.settle({ a: reject("x", "y", "z") });
  expect(settled.exposed()).toEqual({ a: ["x", "z"], b: ["y"] });
  expect(settled.names.of("a")?.conflicts).toEqual([
    { tool: "y", owner: "b", resolution: "rejected" },
  ]);
});

test("a server that claims nothing for a while keeps what was seen of it", () => {
  const settled = new Settled()
    .follow("a", "b")
    .settle({ a: reject("x") })
    .freeze();
  settled.settle({ a: undefined, b: reject("x") });
  expect(settled.isRejected("b")).toBe(true);
  settled.settle({ a: reject("x") });
  expect(settled.exposed()).toEqual({ a: ["x"], b: [] });
});

test("a server that is not to run gives its names back, and comes in last when it returns", () => {
  const settled = new Settled()
    .follow("a", "b")
    .settle({ a: reject("x"), b: reject("x") })
    .freeze();
  expect(settled.isRejected("b")).toBe(true);
  settled.follow("b").settle({ a: undefined });
  expect(settled.exposed()).toEqual({ b: ["x"] });
  settled
    .freeze()
    .follow("a", "b")
    .settle({ a: reject("x") });
  expect(settled.names.rank).toEqual(["b", "a"]);
  expect(settled.isRejected("a")).toBe(true);
});

test("a server that was rejected comes back with everything that it has by then", () => {
  const settled = new Settled().follow("a", "b").settle({ a: reject("x"), b: reject("x") });
  settled.settle({ b: reject("y", "z") });
  expect(settled.exposed()).toEqual({ a: ["x"], b: ["y", "z"] });
});

test("a server that gets no names takes none away", () => {
  const settled = new Settled()
    .follow("a", "b", "c")
    .settle({ c: reject("x") })
    .freeze();
  settled.settle({ b: qualify("x") }).freeze();
  const before = settled.exposed();
  settled.settle({ a: reject("X", "x") });
  expect(settled.isRejected("a")).toBe(true);
  expect(settled.exposed()).toEqual(before);
});

test("whatever comes and goes: names are unique, and what was seen stays while nobody before it connects", () => {
  const servers = ["a", "b", "c"];
  const raws = fc.uniqueArray(fc.constantFrom("x", "X", "y", "y.z", "y_z", "bash"), {
    maxLength: 4,
  });
  const step = fc.record({
    server: fc.constantFrom(...servers),
    onConflict: fc.constantFrom("reject" as const, "qualify" as const),
    tools: fc.option(raws, { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const settled = new Settled().follow(...servers);
      const policies = new Map<string, Claimant["onConflict"]>();
      for (const { server, onConflict, tools } of steps) {
        const policy = policies.get(server) ?? onConflict;
        policies.set(server, policy);
        const isKnown = (settled.names.of(server)?.exposed.size ?? 0) > 0;
        const before = settled.exposed();
        settled.settle({ [server]: tools && { onConflict: policy, tools } });
        const all = Object.values(settled.exposed()).flat();
        expect(new Set(all.map((name) => name.toLowerCase())).size).toBe(all.length);
        expect(all).not.toContain("bash");
        if (isKnown) {
          for (const other of servers) {
            if (other !== server && !settled.isRejected(other)) {
              expect(settled.exposed()[other]).toEqual(expect.arrayContaining(before[other] ?? []));
            }
          }
        }
        settled.freeze();
      }
    }),
    { numRuns: 500 },
  );
});
