import type { ProviderRow } from "@acumen/models";
import type { AcumenError } from "@acumen/core";
import type { InputStream } from "../command-context.ts";
import type { Pong } from "../doctor/ping-model.ts";
import { cliError } from "../errors.ts";
import type { ModelSources } from "../settings/model-environment.ts";
import { EMBEDDED_MODEL, modelIdFault, providerOf } from "../settings/model-name.ts";
import { addressFault } from "../settings/address-fault.ts";
import { keysFromStdin, keysFromVariable } from "./key-source.ts";
import type { SetupChoice } from "./setup-choice.ts";
import { tryChoice, verifyChoice } from "./verify-choice.ts";

export interface SetupFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly apiKeyStdin?: boolean;
  /** False with --no-api-key; another value but undefined is a key on the command line. */
  readonly apiKey?: boolean | string;
  readonly connect?: boolean;
}

export interface SetupInput {
  readonly stdin: () => InputStream;
  readonly signal: AbortSignal;
  /** Called before something that may take long. */
  readonly onSlow: (text: string) => void;
}

export interface ReadyChoice {
  readonly choice: SetupChoice;
  /** Present when the model was asked. */
  readonly pong: Pong | undefined;
}

/**
 * The choice that flags make, checked as far as it can be without writing.
 * @throws CLI_USAGE, CLI_NO_CREDENTIALS, MODEL_FAILED
 */
export async function choiceOfFlags(
  flags: SetupFlags,
  sources: ModelSources,
  { stdin, signal, onSlow }: SetupInput,
): Promise<ReadyChoice> {
  const model = modelOf(flags);
  const row = providerOf(model);
  const { baseUrl } = flags;
  if (row === undefined && (baseUrl !== undefined || takesKey(flags))) {
    throw usage(`${EMBEDDED_MODEL} has neither address nor key.`);
  }
  const fault = baseUrl === undefined ? undefined : addressFault(baseUrl);
  if (fault !== undefined) throw usage(`The address of --base-url ${fault}.`);
  const keys =
    row === undefined ? undefined : await keysOf(flags, row, sources, { stdin, signal, onSlow });
  const choice: SetupChoice = {
    model,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(keys !== undefined && { keys }),
  };
  await verifyChoice(sources, choice, flags.apiKey === false);
  if (flags.connect !== true) return { choice, pong: undefined };
  onSlow(`Asking ${model} …`);
  return { choice, pong: await tryChoice(sources, choice, signal) };
}

/** True when a key comes with the flags. */
function takesKey({ apiKeyEnv, apiKeyStdin }: SetupFlags): boolean {
  return apiKeyEnv !== undefined || apiKeyStdin === true;
}

function modelOf({ model }: SetupFlags): string {
  if (model === undefined) {
    throw usage(
      "Without a terminal `acumen setup` needs --model ID, and for most providers --api-key-env NAME or --api-key-stdin.",
    );
  }
  const fault = modelIdFault(model);
  if (fault !== undefined) throw usage(`--model: ${fault}`);
  return model;
}

async function keysOf(
  flags: SetupFlags,
  row: ProviderRow,
  { variables }: ModelSources,
  { stdin, signal, onSlow }: SetupInput,
): Promise<SetupChoice["keys"]> {
  if (flags.apiKeyEnv !== undefined) return keysFromVariable(row, flags.apiKeyEnv, variables);
  if (flags.apiKeyStdin !== true) return undefined;
  onSlow("Reading the key from stdin …");
  return keysFromStdin(row, stdin(), signal);
}

/** @throws CLI_USAGE for flags that contradict each other, and for a key on the command line, which is not repeated */
export function refuseContradictions(flags: SetupFlags): void {
  const { apiKey, apiKeyEnv, apiKeyStdin } = flags;
  if (apiKey !== undefined && apiKey !== false) {
    throw usage(
      "A key is no argument: every user of this machine can see the arguments of all processes. Use --api-key-stdin or --api-key-env NAME, and replace the key that was given here.",
    );
  }
  const ways = [apiKeyEnv !== undefined, apiKeyStdin === true, apiKey === false];
  if (ways.filter(Boolean).length > 1) {
    throw usage("--api-key-env, --api-key-stdin and --no-api-key exclude each other.");
  }
  if (apiKey === false && flags.connect === true) {
    throw usage("--connect needs the key that --no-api-key leaves out.");
  }
}

function usage(message: string): AcumenError {
  return cliError("CLI_USAGE", message);
}
