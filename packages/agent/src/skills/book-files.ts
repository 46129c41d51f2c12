import { join } from "node:path";
import type { WorkspaceFacts } from "../agent/agent-options.ts";
import type { BookName } from "./shown-id.ts";

/** The skillbooks of a session: the machine's, and a trusted workspace's. */
export function bookFiles(
  home: string,
  workspace: WorkspaceFacts,
): readonly { readonly book: BookName; readonly path: string }[] {
  const machine = { book: "machine", path: join(home, "skillbook.json") } as const;
  if (!workspace.trusted) return [machine];
  return [
    machine,
    { book: "workspace", path: join(workspace.cwd, ".acumen", "skillbook.json") } as const,
  ];
}
