/** What a token may allow; applying is a right of its own. */
export const SCOPES = [
  "session:*",
  "plan:read",
  "plan:write",
  "plan:auto",
  "plan:apply",
  "registry:read",
  "context:read",
  "events:read",
] as const;
export type Scope = (typeof SCOPES)[number];
