import { isJsonObject } from "@acumen/core";
import type { IncomingMessage, ServerResponse } from "node:http";
import { deliver, type Delivery } from "./delivery.ts";
import { faultDelivery, replyDelivery } from "./fault-delivery.ts";
import { type JsonObject, optionalText } from "./json-read.ts";
import type { ModelServerOptions } from "./model-server-options.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import { headersWithoutSecrets, pathWithoutKey, type RecordedRequest } from "./recorded-request.ts";
import { isFault, nextStep } from "./script.ts";
import type { GenerateCall, HttpReply, Issue, Route, Wire } from "./wire.ts";

const NO_REQUEST = { method: "", path: "", headers: {}, key: "missing" } as const;

/** One request and its answer. */
export class Exchange {
  /** The whole request has arrived. */
  read = false;
  aborted = false;
  view: NeutralRequest | undefined;
  readonly #wire: Wire;
  readonly #options: ModelServerOptions;
  readonly #takeIndex: () => number;
  #request: Pick<RecordedRequest, "method" | "path" | "headers" | "key"> = NO_REQUEST;
  #body: JsonObject | undefined;
  #refusal: string | undefined;
  #status: number | undefined;
  /** The fault `cut`: it is this side that leaves. */
  #cut = false;

  constructor(wire: Wire, options: ModelServerOptions, takeIndex: () => number) {
    this.#wire = wire;
    this.#options = options;
    this.#takeIndex = takeIndex;
  }

  record(): RecordedRequest {
    return {
      ...this.#request,
      body: this.#body,
      view: this.view,
      refusal: this.#refusal,
      status: this.#status,
      aborted: this.aborted,
    };
  }

  /** Never rejects: a fault of the script or of this code becomes an answer that names it. */
  async run(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let ended = false;
    res.once("finish", () => (ended = true));
    res.once("close", () => {
      if (!ended && !this.#cut) this.aborted = true;
    });
    try {
      const text = await bodyText(req);
      const delivery = await this.#answer(req, text);
      this.#cut = "end" in delivery && delivery.end === "cut";
      if (delivery.kind !== "silence") {
        this.#status = delivery.kind === "json" ? delivery.reply.status : 200;
      }
      await deliver(res, delivery, this.#wire.headers());
    } catch (error) {
      this.#refusal = `the loopback server failed: ${String(error)}`;
      res.destroy();
    }
  }

  async #answer(req: IncomingMessage, text: string): Promise<Delivery> {
    const url = new URL(req.url ?? "/", "http://127.0.0.1");
    const method = req.method ?? "GET";
    const key = this.#wire.keyOf(req.headers, url.searchParams);
    const keyState = this.#keyState(key);
    this.#request = {
      method,
      path: pathWithoutKey(url),
      headers: headersWithoutSecrets(req.headers),
      key: keyState,
    };
    const parsed = parseObject(text);
    this.#body = parsed;
    this.read = true;
    const errors = this.#wire.errors;
    const route = this.#wire.route(method, url.pathname);
    if (route === undefined) return this.#refuse(errors.notFound(method, url.pathname));
    if (keyState === "missing" && this.#needsKey()) return this.#refuse(errors.missingKey());
    if (keyState === "wrong") return this.#refuse(errors.wrongKey(key ?? ""));
    if (route.kind === "models") return this.#models();
    if (parsed === undefined) return this.#refuse(errors.invalidJson());
    return this.#generate(callOf(route, parsed, req), key ?? "", text.length);
  }

  async #generate(call: GenerateCall, key: string, requestChars: number): Promise<Delivery> {
    const { models } = this.#options;
    const known = models === undefined ? this.#wire.knows(call.model) : models.includes(call.model);
    if (call.model !== "" && !known)
      return this.#refuse(this.#wire.errors.unknownModel(call.model));
    const issues: Issue[] = [];
    this.#wire.validate(call, (issue) => issues.push(issue));
    if (issues.length > 0) return this.#refuse(this.#wire.errors.rejected(issues));
    const view = this.#wire.view(call);
    this.view = view;
    try {
      const step = await nextStep(this.#options.script, view, this.#takeIndex());
      const context = { wire: this.#wire, call, key, requestChars, firstTool: view.tools[0]?.name };
      return isFault(step) ? faultDelivery(step, context) : replyDelivery(step, context);
    } catch (error) {
      // 400 and not 500: a client would retry and hide what went wrong.
      const reason = error instanceof Error ? error.message : String(error);
      return this.#refuse(this.#wire.errors.rejected([{ message: `Script failed: ${reason}` }]));
    }
  }

  #needsKey(): boolean {
    return this.#wire.name !== "openai-compatible" || this.#options.apiKey !== undefined;
  }

  #keyState(key: string | undefined): RecordedRequest["key"] {
    if (key === undefined || key === "") return "missing";
    const { apiKey } = this.#options;
    return apiKey === undefined || key === apiKey ? "right" : "wrong";
  }

  #models(): Delivery {
    const body = this.#wire.listModels(this.#options.models ?? []);
    return { kind: "json", reply: { status: 200, body } };
  }

  #refuse(reply: HttpReply): Delivery {
    this.#refusal = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
    return { kind: "json", reply };
  }
}

function callOf(
  route: Extract<Route, { kind: "generate" }>,
  body: JsonObject,
  req: IncomingMessage,
): GenerateCall {
  return {
    model: route.model ?? optionalText(body["model"]) ?? "",
    stream: route.stream ?? body["stream"] === true,
    body,
    headers: req.headers,
  };
}

async function bodyText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
