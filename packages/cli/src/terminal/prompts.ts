import type { Readable, Writable } from "node:stream";
import { cliError } from "../errors.ts";

interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Why an answer is not accepted; undefined accepts it. */
type Validate = (answer: string) => string | undefined;

/** Questions to a person. Each rejects with CLI_INTERRUPTED when the person gives up. */
export interface Prompts {
  say(text: string): void;
  select(
    this: void,
    question: {
      readonly message: string;
      readonly options: readonly Option[];
      readonly initial?: string;
    },
  ): Promise<string>;
  text(
    this: void,
    question: {
      readonly message: string;
      readonly initial?: string;
      readonly placeholder?: string;
      readonly validate: Validate;
    },
  ): Promise<string>;
  /** Nothing of the answer is shown. */
  secret(question: { readonly message: string; readonly validate: Validate }): Promise<string>;
  confirm(
    this: void,
    question: { readonly message: string; readonly initial: boolean },
  ): Promise<boolean>;
}

export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  /** Said when the person gives up. */
  readonly gaveUp: string;
}

const VISIBLE_OPTIONS = 12;

/** Prompts on a terminal. */
export async function terminalPrompts({ gaveUp, ...streams }: PromptStreams): Promise<Prompts> {
  const clack = await import("@clack/prompts");
  const answered = async <T>(answer: Promise<T | typeof clack.CANCEL_SYMBOL>): Promise<T> => {
    const value = await answer;
    if (clack.isCancel(value)) {
      throw cliError("CLI_INTERRUPTED", gaveUp, {
        details: { signal: "SIGINT" },
      });
    }
    return value as T;
  };
  return {
    say: (text) => clack.log.message(text, { output: streams.output }),
    select: ({ message, options, initial }) =>
      answered(
        clack.select<string>({
          ...streams,
          message,
          options: options.map((option) => ({ ...option })),
          maxItems: VISIBLE_OPTIONS,
          ...(initial !== undefined && { initialValue: initial }),
        }),
      ),
    text: ({ message, initial, placeholder, validate }) =>
      answered(
        clack.text({
          ...streams,
          message,
          validate: (value = "") => validate(value.trim()),
          ...(placeholder !== undefined && { placeholder }),
          ...(initial !== undefined && { initialValue: initial }),
        }),
      ).then((text) => text.trim()),
    secret: ({ message, validate }) =>
      answered(
        clack.password({
          ...streams,
          message,
          mask: "*",
          validate: (value = "") => validate(value.trim()),
        }),
      ).then((text) => text.trim()),
    confirm: ({ message, initial }) =>
      answered(clack.confirm({ ...streams, message, initialValue: initial })),
  };
}
