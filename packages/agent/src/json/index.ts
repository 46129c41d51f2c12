// Adding a name here makes it public. An entry of its own, so that who reads settings need not load the agent.
export { type ParsedText, parseJsonWithComments, type TextPlace } from "./json-with-comments.ts";
