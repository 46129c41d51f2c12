import { isJsonObject } from "@acumen/core";
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

/** Hosts send what they like: whatever has not the type that the protocol gives it counts as not said. */
export function clientFeatures({
  clientCapabilities,
}: Pick<InitializeRequest, "clientCapabilities">): ClientFeatures {
  const can = objectOf(clientCapabilities);
  const [fs, session] = [objectOf(can["fs"]), objectOf(can["session"])];
  const [auth, elicitation] = [objectOf(can["auth"]), objectOf(can["elicitation"])];
  return {
    readTextFile: fs["readTextFile"] === true,
    writeTextFile: fs["writeTextFile"] === true,
    terminal: can["terminal"] === true,
    notices: isJsonObject(session["notices"]),
    compaction: isJsonObject(session["compaction"]),
    terminalAuth: auth["terminal"] === true,
    formElicitation: isJsonObject(elicitation["form"]),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
