import { expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { lastRecord } from "../support/run-main.ts";

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

interface Listed {
  readonly servers: readonly { readonly server: string; readonly enabled: boolean }[];
}

test("ten servers that are added at the same time in a fresh place are all enabled, and it is trusted", async () => {
  await using bench = await agentBench({ steps: [] });
  const at = ["--workspace", bench.workspace];
  const added = await Promise.all(
    NAMES.map((name) => bench.acumen(["mcp", "add", name, ...at, "--json", "--", "/nowhere/srv"])),
  );
  expect(added.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(NAMES.map(() => "0"));
  expect(added.map((outcome) => lastRecord(outcome))).toEqual(
    NAMES.map((name) => expect.objectContaining({ name, enabled: true })),
  );
  const { servers } = lastRecord(
    await bench.acumen(["mcp", "list", ...at, "--json"]),
  ) as unknown as Listed;
  expect(
    servers
      .filter(({ enabled }) => enabled)
      .map(({ server }) => server)
      .toSorted(),
  ).toEqual(NAMES);
  expect(lastRecord(await bench.acumen(["trust", "--list", "--json"]))).toMatchObject({
    workspaces: [{ state: "trusted" }],
  });
}, 30_000);
