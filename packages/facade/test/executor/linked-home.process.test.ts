import { access, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { pointOf } from "../../src/plans/transitions.ts";
import { AgentWorld } from "../support/agent-world.ts";

const hasBubblewrap = await Promise.any(
  (process.env["PATH"] ?? "").split(delimiter).map((folder) => access(join(folder, "bwrap"))),
).then(
  () => true,
  () => false,
);

const call = (tool: string, input: object) => ({ toolCalls: [{ tool, input }] });

test.each(
  (["folders", "parent"] as const).flatMap((linked) => [
    { linked, isolation: "auto" as const, runs: hasBubblewrap },
    { linked, isolation: "none" as const, runs: true },
  ]),
)(
  "a plan works as ever where home, user and project are reached through links ($linked, isolation $isolation)",
  async ({ linked, isolation, runs }) => {
    if (!runs) return;
    await using world = await AgentWorld.open({
      linked,
      isolation,
      allowUnisolated: true,
      steps: [
        call("write_file", { path: "written.txt", content: "w" }),
        call("bash", { command: "ls written.txt > by-bash.txt" }),
        { text: "Done." },
      ],
    });
    const id = await world.begin({ profile: "auto" });
    const executed = await world.until(id, ({ phase, state, pending_approvals: pending }) => {
      return pending.length > 0 || (phase === "execute" && /complete|errored/.test(state));
    });
    expect(executed.pending_approvals).toEqual([]);
    expect(executed.error).toBeNull();
    expect(executed.isolation).toBe(isolation === "auto" ? "bubblewrap" : "none");
    await world.ask("plan.apply", { plan_id: id });
    expect(pointOf(await world.until(id))).toBe("apply/applied");
    const { project } = world.places;
    expect(await readFile(join(project.path, "written.txt"), "utf8")).toBe("w");
    expect(await readFile(join(project.path, "by-bash.txt"), "utf8")).toBe("written.txt\n");
  },
  60_000,
);
