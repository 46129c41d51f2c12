import type { ModelServer } from "../../src/index.ts";
import { API_KEY } from "./subjects.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

export interface PostOptions {
  /** Default: the right key; null sends none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A hand-written request, with the key in the header of the wire. */
export async function post(
  server: ModelServer,
  path: string,
  body: unknown,
  { key = API_KEY, headers = {} }: PostOptions = {},
): Promise<Answer> {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key !== null && keyHeader(server, key)),
      ...(server.wire === "anthropic" && { "anthropic-version": "2023-06-01" }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function keyHeader(server: ModelServer, key: string): Record<string, string> {
  if (server.wire === "anthropic") return { "x-api-key": key };
  if (server.wire === "google") return { "x-goog-api-key": key };
  return { authorization: `Bearer ${key}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
