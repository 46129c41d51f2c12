import type { InitializeRequest } from "@agentclientprotocol/sdk";

/** What the host said that it can do; whatever it did not say it cannot. */
export interface ClientFeatures {
  readonly readTextFile: boolean;
  readonly writeTextFile: boolean;
  readonly terminal: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
  readonly terminalAuth: boolean;
  readonly formElicitation: boolean;
}

export function clientFeatures({
  clientCapabilities: can,
}: Pick<InitializeRequest, "clientCapabilities">): ClientFeatures {
  return {
    readTextFile: can?.fs?.readTextFile === true,
    writeTextFile: can?.fs?.writeTextFile === true,
    terminal: can?.terminal === true,
    notices: isGiven(can?.session?.notices),
    compaction: isGiven(can?.session?.compaction),
    terminalAuth: can?.auth?.terminal === true,
    formElicitation: isGiven(can?.elicitation?.form),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
