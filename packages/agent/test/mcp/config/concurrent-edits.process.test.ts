import { sourceCommand, startProcess } from "@acumen/testkit";
import { expect, test } from "vitest";
import { machine } from "./support.ts";

test("processes that edit the same files lose nothing, and trust stays", async () => {
  await using here = await machine();
  await here.choose({});
  await here.trust.trust(here.cwd);
  const groups = ["a", "b", "c"].map((letter) => [1, 2, 3, 4].map((index) => `${letter}${index}`));
  const ends = groups.map(async (names): Promise<string> => {
    const entry = new URL("add-servers.ts", import.meta.url);
    await using child = startProcess(sourceCommand(entry, [here.home, here.cwd, ...names]));
    const { code } = await child.exited;
    return `${child.stderr()}${code}`;
  });
  expect(await Promise.all(ends)).toEqual(["0", "0", "0"]);
  const { servers, problems } = await here.manager.sourceFor(here).resolve();
  expect(problems).toEqual([]);
  expect(servers.map(({ name }) => name).toSorted()).toEqual(groups.flat());
  expect(servers.filter((one) => one.enabled && one.disabledReason === undefined)).toHaveLength(12);
});
