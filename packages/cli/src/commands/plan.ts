import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandContext } from "../command-context.ts";
import type { PlanFlags } from "../plans/plan-flags.ts";

const PROFILES = ["manual", "supervised", "auto", "full-auto"];

export function addPlanCommand(program: Command, context: CommandContext): void {
  const plan = program
    .command("plan")
    .summary("make plans, review their diff and apply it")
    .description(
      "A plan is work that the agent does in a private copy of a project; the project changes when the plan is applied. " +
        "Through the server of ACUMEN_URL with ACUMEN_TOKEN, or with --local in this process, for as long as it runs.",
    )
    .addHelpText(
      "after",
      '\nExamples:\n  $ acumen plan create "fix the failing test" --wait\n  $ acumen plan diff ID\n  $ acumen plan apply ID',
    );
  addCreate(plan, context);
  addList(plan, context);
  for (const each of OF_ONE_PLAN) addOfOnePlan(plan, context, each);
  addDiff(plan, context);
  addApply(plan, context);
  addApprove(plan, context);
}

interface OfOnePlan {
  readonly name: "status" | "watch" | "execute" | "cancel" | "retry" | "revert";
  readonly summary: string;
  readonly description: string;
}

const OF_ONE_PLAN: readonly OfOnePlan[] = [
  {
    name: "status",
    summary: "say where a plan stands",
    description: "Shows phase, state, what the plan waits for and what can be done.",
  },
  {
    name: "watch",
    summary: "show what happens until a plan needs you",
    description: "Shows events as they come, until the plan waits for somebody or has ended.",
  },
  {
    name: "execute",
    summary: "let a plan go on",
    description: "Lets the agent work in the plan's private copy; with --wait until it is done.",
  },
  {
    name: "cancel",
    summary: "end a plan; the project stays as it is",
    description: "Ends a plan for good and removes its private copy.",
  },
  {
    name: "retry",
    summary: "run the failed phase again",
    description: "Begins another attempt of the phase in which the plan failed.",
  },
  {
    name: "revert",
    summary: "go back to the strategy",
    description:
      "Takes a plan back to its strategy, with what was found since; at most three times.",
  },
];

const LOCAL_PROJECTS = "with --local: folders that plans may be made for (default: this one)";

/** How plans are reached, the same for every command. */
function addPlanFlags(command: Command, projects = LOCAL_PROJECTS): Command {
  return command
    .option("--local", "in this process, without a server")
    .option("--project <dir...>", projects)
    .option("--model <id>", "with --local: the model of plans that name none")
    .option("--allow-unisolated", "with --local: run commands where bubblewrap does not work")
    .option("--allow-network", "with --local: commands may use the network from their isolation")
    .option("--trust-once", "with --local: trust every project, for this process alone")
    .option("--config <file>", "with --local: another settings file")
    .option("--json", "one JSON line on stdout instead of text");
}

function addCreate(plan: Command, context: CommandContext): void {
  const command = plan
    .command("create")
    .argument("[prompt...]", "what should be done, for builtin/task")
    .summary("make a plan")
    .description("Makes a plan from a prompt or an action. Its strategy begins at once.")
    .option("--action <name>", "an action of the project, such as team/fix-bug")
    .option("--arg <name=value...>", "an argument of the action; JSON, or text")
    .addOption(new Option("--profile <name>", "how far it goes by itself").choices(PROFILES))
    .option("--session <id>", "the session that it belongs to")
    .option("--wait", "show what happens until it needs you");
  addPlanFlags(
    command,
    "name or path of the project (default: the served one that holds this folder, or the only one); with --local: the folders",
  )
    .addHelpText(
      "after",
      '\nExamples:\n  $ acumen plan create "fix the failing test" --wait\n  $ acumen plan create "fix the failing test" --project shop\n  $ acumen plan create --action team/fix-bug --arg issue=17 --profile auto',
    )
    .action(async (prompt: readonly string[], _flags, self: Command) => {
      const { createPlan } = await import("../plans/run-plan-command.ts");
      await createPlan(context, prompt.join(" "), self.optsWithGlobals<PlanFlags>());
    });
}

function addList(plan: Command, context: CommandContext): void {
  const command = plan
    .command("list")
    .summary("list plans, newest first")
    .description("Lists plans, the newest first.")
    .option("--limit <n>", "at most so many", toLimit, 20);
  addPlanFlags(command)
    .addHelpText("after", "\nExample:\n  $ acumen plan list --json")
    .action(async (_flags, self: Command) => {
      const { listPlans } = await import("../plans/run-plan-command.ts");
      await listPlans(context, self.optsWithGlobals<PlanFlags>());
    });
}

function addOfOnePlan(plan: Command, context: CommandContext, each: OfOnePlan): void {
  const { name, summary, description } = each;
  const command = plan.command(name).argument("<id>", "of the plan");
  command.summary(summary).description(description);
  if (name === "execute" || name === "retry") {
    command.option("--wait", "show what happens until it needs you");
  }
  if (name === "revert") command.option("--reason <text>", "what the next strategy should know");
  addPlanFlags(command)
    .addHelpText("after", `\nExample:\n  $ acumen plan ${name} 01KAFV3W5E9Q2T8M6X4Z7B1C0D`)
    .action(async (id: string, _flags, self: Command) => {
      const { runOnPlan } = await import("../plans/run-plan-command.ts");
      await runOnPlan(context, name, id, self.optsWithGlobals<PlanFlags>());
    });
}

function addDiff(plan: Command, context: CommandContext): void {
  const command = plan
    .command("diff")
    .argument("<id>", "of the plan")
    .summary("show a plan's change")
    .description("Shows the change of a plan's attempt, what checks it, and whether it merges.");
  addPlanFlags(command)
    .addHelpText("after", "\nExample:\n  $ acumen plan diff 01KAFV3W5E9Q2T8M6X4Z7B1C0D")
    .action(async (id: string, _flags, self: Command) => {
      const { showDiff } = await import("../plans/run-plan-command.ts");
      await showDiff(context, id, self.optsWithGlobals<PlanFlags>());
    });
}

function addApply(plan: Command, context: CommandContext): void {
  const command = plan
    .command("apply")
    .argument("<id>", "of the plan")
    .summary("merge a plan's change into the project")
    .description("Runs the plan's validations and merges its change. A conflict changes nothing.")
    .option("--digest <digest>", "of the diff that was reviewed; another one is refused")
    .option("--message <text>", "of the commit");
  addPlanFlags(command)
    .addHelpText("after", "\nExample:\n  $ acumen plan apply 01KAFV3W5E9Q2T8M6X4Z7B1C0D")
    .action(async (id: string, _flags, self: Command) => {
      const { applyPlan } = await import("../plans/run-plan-command.ts");
      await applyPlan(context, id, self.optsWithGlobals<PlanFlags>());
    });
}

function addApprove(plan: Command, context: CommandContext): void {
  const command = plan
    .command("approve")
    .argument("<id>", "of the plan")
    .argument("<call>", "of the tool call that waits")
    .summary("answer a tool call that waits")
    .description("Allows a tool call of a plan once, or rejects it.")
    .option("--always", "allow calls like it for the rest of the plan")
    .option("--reject", "reject it");
  addPlanFlags(command)
    .addHelpText("after", "\nExample:\n  $ acumen plan approve 01KAFV3W5E9Q2T8M6X4Z7B1C0D call_1")
    .action(async (id: string, call: string, _flags, self: Command) => {
      const { approveCall } = await import("../plans/run-plan-command.ts");
      await approveCall(context, id, call, self.optsWithGlobals<PlanFlags>());
    });
}

function toLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 200) return limit;
  throw new InvalidArgumentError("Expected a number from 1 to 200.");
}
