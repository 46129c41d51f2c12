import { modelError } from "../errors.ts";
import type { ModelId } from "../model-id.ts";
import { type Environment, firstSet } from "./credentials.ts";
import type { ProviderRow } from "./provider-row.ts";

export interface BaseUrl {
  /** Without credentials and without a slash at the end. */
  readonly url: string;
  /** Set by a variable; false for the provider's own default. */
  readonly custom: boolean;
  /** The variable, or the first of those that could set it. */
  readonly variable: string;
  /** Headers for a user name and password that stood in the URL. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** What people paste although only the part before it is the base. */
const ENDPOINTS = /\/(?:chat\/completions|completions|responses|messages)$/;

/**
 * Base URL from the provider's variables, else its default; undefined when there is neither.
 * @throws MODEL_FAILED of kind `bad_request` for a value that is no http(s) URL, or whose credentials cannot be sent
 */
export function baseUrlOf(row: ProviderRow, id: ModelId, env: Environment): BaseUrl | undefined {
  const found = firstSet(env, row.baseUrlVariables);
  const variable = found?.variable ?? row.baseUrlVariables[0] ?? "";
  const text = found?.value ?? row.defaultBaseUrl;
  if (text === undefined) return undefined;
  const url = parseUrl(text);
  if (url === undefined) {
    throw modelError(
      `${variable} is no http or https URL. Set it to something like "${row.defaultBaseUrl ?? "http://127.0.0.1:8080/v1"}".`,
      { ...id, kind: "bad_request" },
    );
  }
  const credentials = credentialsOf(url, row, id, env, variable);
  return {
    url: `${url.origin}${pathOf(url, row)}`,
    custom: found !== undefined,
    variable,
    ...credentials,
  };
}

/** For messages: origin and path, which hold no credentials. */
function parseUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
  } catch {
    return undefined;
  }
}

function pathOf(url: URL, row: ProviderRow): string {
  const path = url.pathname.replace(/\/+$/, "").replace(ENDPOINTS, "");
  if (path === "") return row.basePath ?? "";
  // LiteLLM and Anthropic's own clients take the base without its version.
  return row.driver === "anthropic" && !/\/v\d+$/.test(path) ? `${path}/v1` : path;
}

/** `fetch` refuses such URLs, with a message that repeats the password. */
function credentialsOf(
  url: URL,
  row: ProviderRow,
  id: ModelId,
  env: Environment,
  variable: string,
): Pick<BaseUrl, "headers" | "secrets"> {
  if (url.username === "" && url.password === "") return { secrets: [] };
  if (row.keyOptional !== true || firstSet(env, row.keyVariables) !== undefined) {
    throw modelError(
      `${variable} holds a user name or password, which cannot be sent besides a key. Remove them from the URL.`,
      { ...id, kind: "bad_request" },
    );
  }
  const user = decoded(url.username);
  const password = decoded(url.password);
  const basic = Buffer.from(`${user}:${password}`).toString("base64");
  return {
    headers: { authorization: `Basic ${basic}` },
    secrets: [basic, password, url.password].filter((text) => text !== ""),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
