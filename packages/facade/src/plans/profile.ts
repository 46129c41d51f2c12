import type { Scope } from "../access/scope.ts";

/** How far a plan goes by itself. */
export const PROFILE_NAMES = ["manual", "supervised", "auto", "full-auto"] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];
export const DEFAULT_PROFILE: ProfileName = "supervised";

export interface Profile {
  /** Strategize begins without `plan.execute`. */
  readonly strategizes: boolean;
  /** Execute follows a finished strategy. */
  readonly executes: boolean;
  /** Apply follows a finished execution. */
  readonly applies: boolean;
  /** The creating token needs it beside `plan:write`. */
  readonly scope: Scope | undefined;
  /** Commands and tools of MCP servers run without isolation and without being asked for. */
  readonly runsUnisolated: boolean;
}

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  manual: {
    strategizes: false,
    executes: false,
    applies: false,
    scope: undefined,
    runsUnisolated: false,
  },
  supervised: {
    strategizes: true,
    executes: false,
    applies: false,
    scope: undefined,
    runsUnisolated: false,
  },
  auto: {
    strategizes: true,
    executes: true,
    applies: false,
    scope: "plan:auto",
    runsUnisolated: true,
  },
  "full-auto": {
    strategizes: true,
    executes: true,
    applies: true,
    scope: "plan:apply",
    runsUnisolated: true,
  },
};
