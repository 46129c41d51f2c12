/** `auto`: nothing asks. `safe`: reads run, everything else asks. `manual`: everything asks. */
export const SESSION_MODES = ["auto", "safe", "manual"] as const;
export type SessionMode = (typeof SESSION_MODES)[number];
export const DEFAULT_MODE: SessionMode = "safe";
