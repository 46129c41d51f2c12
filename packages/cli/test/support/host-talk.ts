import { expect } from "vitest";
import { runMain } from "./run-main.ts";

export interface HostAnswer {
  readonly id?: unknown;
  readonly result?: {
    readonly authMethods?: readonly { readonly id: string }[];
    readonly sessionId?: string;
    readonly configOptions?: readonly { readonly id: string; readonly currentValue: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type Ask = (method: string, params: object) => Promise<HostAnswer>;

interface Served {
  readonly home: string;
  readonly flags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Serves while `talk` asks one thing after the other; it also gets the answer to `initialize`. */
export async function withHost(
  { home, flags = [], variables = {} }: Served,
  talk: (ask: Ask, initialized: HostAnswer) => Promise<void>,
): Promise<void> {
  const lines: string[] = [];
  const waiting = new Map<unknown, (answer: HostAnswer) => void>();
  let wake = (): void => undefined;
  let isOver = false;
  async function* input(): AsyncGenerator<Uint8Array> {
    while (!isOver || lines.length > 0) {
      const line = lines.shift();
      if (line !== undefined) yield Buffer.from(`${line}\n`);
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  const served = runMain(["acp", ...flags], {
    home,
    variables,
    stdin: input() as unknown as readonly Uint8Array[],
    onStdout: (text) => {
      const message = JSON.parse(text) as HostAnswer;
      waiting.get(message.id)?.(message);
    },
  });
  let next = 1;
  const ask: Ask = (method, params) =>
    new Promise((resolve) => {
      const id = next++;
      waiting.set(id, resolve);
      lines.push(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      wake();
    });
  try {
    const clientCapabilities = { auth: { terminal: true } };
    await talk(ask, await ask("initialize", { protocolVersion: 1, clientCapabilities }));
  } finally {
    isOver = true;
    wake();
  }
  expect(await served).toMatchObject({ code: 0, stderr: "" });
}
