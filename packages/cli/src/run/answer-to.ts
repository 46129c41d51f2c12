import { visibleText } from "@acumen/agent";
import type { Prompts } from "../terminal/prompts.ts";

const OTHER = "\u0000other";

/** One of the answers that the model offers, or another one in words. */
export async function answerTo(
  { select, text }: Pick<Prompts, "select" | "text">,
  question: string,
  offered: readonly string[],
): Promise<string> {
  const message = visibleText(question);
  const validate = (answer: string) => (answer === "" ? "An answer is needed." : undefined);
  if (offered.length === 0) return text({ message, validate });
  const answer = await select({
    message,
    options: [
      ...offered.map((label) => ({ value: label, label: visibleText(label) })),
      { value: OTHER, label: "Something else, in my words" },
    ],
  });
  return answer === OTHER ? text({ message: "Your answer:", validate }) : answer;
}
