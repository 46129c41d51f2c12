/** The six tools in their fixed order of publication. */
export const TOOL_NAMES = [
  "ace.ask",
  "ace.learn.sample",
  "ace.learn.feedback",
  "ace.skillbook.get",
  "ace.skillbook.save",
  "ace.skillbook.load",
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export type ToolNameStyle = "dotted" | "underscore";

/** `ace.learn.sample` or `ace_learn_sample`: some hosts and model APIs refuse dots in tool names. */
export function spelled(name: ToolName, style: ToolNameStyle): string {
  return style === "dotted" ? name : name.replaceAll(".", "_");
}
