import type { FacadeFlags } from "../serve/open-facade.ts";

/** What the command line says to `acumen plan`. */
export interface PlanFlags extends FacadeFlags {
  readonly local?: boolean;
  readonly json?: boolean;
  readonly color: boolean;
  readonly wait?: boolean;
  readonly action?: string;
  readonly arg?: readonly string[];
  readonly profile?: string;
  readonly session?: string;
  readonly limit?: number;
  readonly reason?: string;
  readonly digest?: string;
  readonly message?: string;
  readonly always?: boolean;
  readonly reject?: boolean;
}
