import { createId } from "@acumen/core";
import { misbehavingServer } from "@acumen/testkit";
import { existsSync } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { pointOf } from "../../src/plans/transitions.ts";
import { AgentWorld, type AgentWorldOptions, type Places } from "../support/agent-world.ts";
import { isCheckoutSeen, unseenReason } from "../support/seen-checkout.ts";

/** Whether this machine has bubblewrap at all; the build installs it where these tests run. */
const hasBubblewrap = await Promise.any(
  (process.env["PATH"] ?? "").split(delimiter).map((folder) => access(join(folder, "bwrap"))),
).then(
  () => true,
  () => false,
);

/** Says of the user's folders, named by its arguments, what it can see and write there; of its own folder and /tmp, that it can. */
const PROBE = `
for folder in "$@"; do
  for file in README.md .git/config tokens.json id_rsa; do
    if cat "$folder/$file" >/dev/null 2>&1; then echo "read $file"; fi
  done
  if touch "$folder/probe-was-here" 2>/dev/null; then echo "wrote $(basename "$folder")"; fi
done
if touch ./probe-inside "/tmp/probe-$$"; then echo "wrote its own"; fi
`;
const CONFINED = "wrote its own\n";
const OPEN = [
  "read README.md",
  "read .git/config",
  "wrote project",
  "read tokens.json",
  "wrote acumen-home",
  "read id_rsa",
  "wrote user",
  CONFINED,
].join("\n");

const call = (tool: string, input: object) => ({ toolCalls: [{ tool, input }] });

/** Processes of this machine that were started with this word. */
async function processesWith(marker: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(marker));
}

/** A plan whose command, MCP server and validation each run the probe. */
function probing(marker: string): Pick<AgentWorldOptions, "files" | "mcpServers"> {
  const quoted = ({ project, home, user }: Places): string =>
    [project.path, home, user].map((path) => `'${path}'`).join(" ");
  const { command, args } = misbehavingServer("well");
  return {
    files: { "README.md": "# Shop\n", "probe.sh": PROBE },
    mcpServers: (places) => ({
      notes: {
        command: "sh",
        // The probe runs as the server's process, which the server then becomes.
        args: [
          "-c",
          `sh probe.sh ${quoted(places)} > mcp.txt; exec "$0" "$@"`,
          command,
          ...args,
          marker,
        ],
      },
    }),
  };
}

describe.each([
  {
    isolation: "auto",
    expected: "bubblewrap",
    said: CONFINED,
    run: hasBubblewrap && isCheckoutSeen,
  },
  { isolation: "none", expected: "none", said: OPEN, run: true },
] as const)("a plan with isolation $expected", ({ isolation, expected, said, run }) => {
  const missing = hasBubblewrap ? unseenReason : " (not run: bubblewrap is not installed)";
  const name = run ? "" : missing;

  test.skipIf(!run)(
    `keeps its command, its MCP server and its validation to their folders or says that it does not${name}`,
    async () => {
      const marker = `marker-${createId()}`;
      await using world = await AgentWorld.open({
        ...probing(marker),
        isolation,
        allowUnisolated: true,
        steps: [
          call("echo", { text: "through the server" }),
          call("bash", { command: "sh probe.sh $(cat folders) > bash.txt" }),
          { text: "Done." },
        ],
      });
      const { project, home, user } = world.places;
      project.write("folders", [project.path, home, user].join(" "));
      project.write(
        ".acumen/actions/probe.md",
        [
          "---",
          "name: team/probe",
          "description: Looks around.",
          "validations:",
          "  - name: probe",
          "    run: sh probe.sh $(cat folders)",
          "---",
          "Look around.",
        ].join("\n"),
      );
      project.git("add", "-A");
      project.git("commit", "-qm", "Probe");

      const id = await world.begin({
        action_name: "team/probe",
        arguments: {},
        profile: "auto",
      });
      const executed = await world.until(id, ({ phase, state }) => {
        return phase === "execute" && (state === "complete" || state === "errored");
      });
      expect(executed.error).toBeNull();
      expect(executed.isolation).toBe(expected);
      const clone = executed.sandbox?.path ?? "";
      expect(await readFile(join(clone, "bash.txt"), "utf8")).toBe(said);
      expect(await readFile(join(clone, "mcp.txt"), "utf8")).toBe(said);
      const { events } = await world.ask("event.list", { plan_id: id, include: ["output"] });
      expect(events).toContainEqual(
        expect.objectContaining({
          event_type: "tool.completed",
          data: expect.objectContaining({
            tool: "mcp.notes/echo",
            output: expect.stringContaining("through the server") as string,
          }) as object,
        }),
      );
      // The server lives no longer than the session that needed it.
      expect(await processesWith(marker)).toEqual([]);

      await world.ask("plan.apply", { plan_id: id });
      const applied = await world.until(id);
      expect(pointOf(applied)).toBe("apply/applied");
      expect(applied.receipt?.validations).toMatchObject([{ name: "probe", output: said }]);
      const left = [project.path, home, user].filter((each) =>
        existsSync(join(each, "probe-was-here")),
      );
      expect(left.length).toBe(expected === "none" ? 3 : 0);
    },
    60_000,
  );

  test.skipIf(!run)(
    `ends its command and its MCP server with a cancel${name}`,
    async () => {
      const marker = `marker-${createId()}`;
      await using world = await AgentWorld.open({
        ...probing(marker),
        isolation,
        allowUnisolated: true,
        steps: [
          call("echo", { text: "hello" }),
          call("bash", { command: `touch begun; sleep 600 ${marker} || sleep 600; : ${marker}` }),
        ],
      });
      const id = await world.begin({ profile: "auto" });
      await vi.waitFor(
        async () => {
          const { sandbox } = await world.plan(id);
          await access(join(sandbox?.path ?? "", "begun"));
        },
        { timeout: 30_000 },
      );
      expect((await processesWith(marker)).length).toBeGreaterThanOrEqual(2);
      const started = performance.now();
      await world.ask("plan.cancel", { plan_id: id });
      await vi.waitFor(async () => expect(await processesWith(marker)).toEqual([]), {
        timeout: 3000,
      });
      expect(performance.now() - started).toBeLessThan(3000);
      expect(pointOf(await world.plan(id))).toBe("execute/cancelled");
    },
    60_000,
  );
});
