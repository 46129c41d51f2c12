import { z } from "zod";
import { filledText, optionalList } from "./wire-fields.ts";

/** What the agent's model writes. */
export const ANSWER_SCHEMA = z.object({
  reasoning: z.string().describe("Numbered steps, with the ids of the skills where they are used"),
  final_answer: filledText().describe("The answer alone"),
  skill_ids: optionalList(z.string()).describe("Ids that the reasoning cites"),
});
