import type { IncomingMessage } from "node:http";
import { ACP_VERSION, type AcpRequest } from "../envelope/acp-request.ts";
import { MAX_DEPTH } from "../envelope/json-copy.ts";
import { AcpError } from "../errors/acp-error.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { repeatedKey, writtenMembers } from "./repeated-key.ts";

export const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The envelope in a body, with what headers say put into it.
 * @param incoming the same request as Node has it, whose body is read at a third of the cost
 * @throws AcpError FACADE_PAYLOAD_TOO_LARGE; ValidationError for a body that is no JSON object, or headers that contradict it
 */
export async function readRequest(
  request: Request,
  incoming?: IncomingMessage,
): Promise<AcpRequest> {
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > MAX_BODY_BYTES) throw tooLarge();
  const value = parse(await (incoming === undefined ? readBody(request) : readSocket(incoming)));
  const version = request.headers.get("acp-version");
  const key = request.headers.get("idempotency-key");
  const { acp_version: spoken = version ?? ACP_VERSION, idempotency_key: own = key } = value;
  if (version !== null && minor(spoken) !== minor(version)) {
    throw contradiction("acp_version", "ACP-Version");
  }
  if (key !== null && own !== key) throw contradiction("idempotency_key", "Idempotency-Key");
  return {
    ...value,
    acp_version: spoken,
    ...(own !== null && { idempotency_key: own }),
  } as unknown as AcpRequest;
}

async function readBody(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What is too large is left unread: the connection must live for the answer. */
function readSocket(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (settle: () => void): void => {
      incoming.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= MAX_BODY_BYTES) return;
      incoming.pause();
      finish(() => reject(tooLarge()));
    };
    const onEnd = (): void => finish(() => resolve(Buffer.concat(chunks).toString("utf8")));
    const onGone = (): void =>
      finish(() => reject(new ValidationError("The body of the request is not complete.")));
    incoming.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ValidationError("The body is not JSON; send one request envelope as JSON object.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ValidationError("The body is no JSON object; send one request envelope.");
  }
  const members = membersOf(value);
  // Of two members with one name only the later would count, and whoever checked the other would have checked nothing.
  if (members !== undefined && members !== writtenMembers(text)) {
    throw repeated(repeatedKey(text) ?? []);
  }
  return value as Readonly<Record<string, unknown>>;
}

/** Of all objects; undefined for what is nested too deeply, which dispatch refuses. Without recursion: 1 MiB has room for half a million levels. */
function membersOf(value: object): number | undefined {
  let level: readonly object[] = [value];
  let members = 0;
  for (let depth = 1; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const next: object[] = [];
    for (const each of level) {
      const children: readonly unknown[] = Array.isArray(each) ? each : Object.values(each);
      if (!Array.isArray(each)) members += children.length;
      for (const child of children)
        if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return level.length === 0 ? members : undefined;
}

function minor(version: unknown): unknown {
  return typeof version === "string" ? version.split(".").slice(0, 2).join(".") : version;
}

function tooLarge(): AcpError {
  return new AcpError(
    "FACADE_PAYLOAD_TOO_LARGE",
    `The body has more than ${MAX_BODY_BYTES / 1024} KiB.`,
    { details: { limit: MAX_BODY_BYTES } },
  );
}

function repeated(path: readonly (string | number)[]): ValidationError {
  const shown = path.map((part) => (typeof part === "string" ? part.slice(0, 200) : part));
  const name = JSON.stringify(shown.join("."));
  return new ValidationError(`The body has ${name} twice; each key may stand once in an object.`, [
    { path: shown, message: "given more than once" },
  ]);
}

function contradiction(field: string, header: string): ValidationError {
  return new ValidationError(
    `The header ${header} and ${field} in the body say different things.`,
    [{ path: [field], message: `differs from the header ${header}` }],
  );
}
