import { FileSessionStore } from "@acumen/agent";
import { createStderrLogger } from "@acumen/core";
import type { CommandContext } from "../command-context.ts";
import { homeOf } from "../settings/home.ts";

/** Where the sessions of this person are stored. */
export function openStore({ environment }: Pick<CommandContext, "environment">): FileSessionStore {
  return new FileSessionStore({
    home: homeOf(environment.variables).folder,
    logger: createStderrLogger({ name: "acumen", level: environment.logLevel }),
  });
}
