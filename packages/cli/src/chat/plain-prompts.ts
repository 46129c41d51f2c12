import { createInterface } from "node:readline";
import { untilAborted } from "@acumen/core";
import { cliError } from "../errors.ts";
import { type Prompts, type PromptStreams, terminalPrompts } from "../terminal/prompts.ts";

/** The questions of a chat. */
export type ChatPrompts = Pick<Prompts, "confirm" | "select" | "text">;

/** Questions that need nothing of a terminal but lines: an answer is a number or words. */
function plainPrompts({ input, output, signal, gaveUp }: PromptStreams): ChatPrompts {
  const ask = async (message: string): Promise<string> => {
    const reader = createInterface({ input, output, terminal: true, historySize: 0 });
    const answer = new Promise<string>((resolve, reject) => {
      reader.on("line", (line) => resolve(line.trim()));
      const giveUp = (): void =>
        reject(cliError("CLI_INTERRUPTED", gaveUp, { details: { signal: "SIGINT" } }));
      reader.on("SIGINT", giveUp);
      reader.on("close", giveUp);
      reader.setPrompt(message);
      reader.prompt();
    });
    try {
      return await untilAborted(answer, signal);
    } finally {
      reader.close();
    }
  };
  return {
    select: async ({ message, options, initial }) => {
      const first = Math.max(
        0,
        options.findIndex(({ value }) => value === initial),
      );
      const lines = options.map(
        ({ label, hint }, index) =>
          `  ${index + 1}  ${label}${hint === undefined ? "" : ` (${hint})`}\n`,
      );
      output.write(`${message}\n${lines.join("")}`);
      for (;;) {
        const answer = await ask(`Number [${first + 1}]: `);
        const index = answer === "" ? first : Number(answer) - 1;
        const chosen = options[index];
        if (chosen !== undefined) return chosen.value;
        output.write(`A number from 1 to ${options.length} is needed.\n`);
      }
    },
    text: async ({ message, initial = "", validate }) => {
      for (;;) {
        const answer = (await ask(`${message}\n: `)) || initial;
        const fault = validate(answer);
        if (fault === undefined) return answer;
        output.write(`${fault}\n`);
      }
    },
    confirm: async ({ message, initial }) => {
      for (;;) {
        const answer = (await ask(`${message} ${initial ? "[Y/n]" : "[y/N]"} `)).toLowerCase();
        if (answer === "") return initial;
        if (answer === "y" || answer === "yes") return true;
        if (answer === "n" || answer === "no") return false;
      }
    },
  };
}

/** @param capable the terminal can move its cursor */
export function chatPrompts(streams: PromptStreams, capable: boolean): Promise<ChatPrompts> {
  return capable ? terminalPrompts(streams) : Promise.resolve(plainPrompts(streams));
}
