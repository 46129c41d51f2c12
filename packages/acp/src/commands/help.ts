import { bullets, paragraphs } from "./answer-text.ts";
import type { HostCommand } from "./host-command.ts";

/** @param commands all of them, this one too */
export function helpCommand(commands: () => readonly HostCommand[]): HostCommand {
  return {
    name: "help",
    description: "List these commands",
    run: () =>
      paragraphs(
        bullets(
          commands().map(({ name, hint, description }) => {
            const usage = hint === undefined ? `/${name}` : `/${name} ${hint}`;
            return `\`${usage}\`: ${description}`;
          }),
        ),
        "Any other text is a prompt for the model.",
      ),
  };
}
