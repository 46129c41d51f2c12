import type * as Sdk from "@modelcontextprotocol/client";
import { clientInfo } from "./client-info.ts";
import type { McpTransport } from "../config/server-definition.ts";
import { callTool } from "./call-tool.ts";
import {
  type Asked,
  describeAnswer,
  type FailedCall,
  notSent,
  type Unanswered,
} from "./describe-answer.ts";
import { LinkHealth } from "./link-health.ts";
import { listTools } from "./list-tools.ts";
import type {
  CallAnswer,
  CallOptions,
  ConnectionFailure,
  ListAnswer,
  McpConnection,
} from "./mcp-connection.ts";
import { ParamHeaders } from "./param-headers.ts";
import type { ServerLink } from "./server-link.ts";
import { ToolsSubscription } from "./tools-subscription.ts";

/** A greeted server, over the wire. */
export class LiveConnection implements McpConnection {
  readonly transport: McpTransport;
  readonly protocolVersion: string;
  readonly instructions?: string;
  readonly #client: Sdk.Client;
  readonly #link: ServerLink;
  readonly #health: LinkHealth;
  readonly #subscription: ToolsSubscription | undefined;
  readonly #headers: ParamHeaders | undefined;
  #closing: Promise<void> | undefined;

  /** @param link its server has greeted the client */
  constructor(sdk: typeof Sdk, client: Sdk.Client, link: ServerLink) {
    this.#client = client;
    this.#link = link;
    this.transport = link.facts.definition.transport;
    this.protocolVersion = client.getNegotiatedProtocolVersion() ?? sdk.LATEST_PROTOCOL_VERSION;
    const instructions = client.getInstructions();
    if (typeof instructions === "string") this.instructions = instructions;
    const isModern = client.getProtocolEra() === "modern";
    this.#health = new LinkHealth(link, isModern ? "server/discover" : "ping");
    if (isModern) {
      link.requests.useMeta(metaOf(sdk, this.protocolVersion));
      this.#headers = new ParamHeaders();
      this.#subscription = new ToolsSubscription(client, link, this.#health);
    }
  }

  async listTools(signal: AbortSignal): Promise<ListAnswer> {
    const { timeoutMs } = this.#link.facts.definition;
    const answer = await listTools(
      this.#link.requests,
      { signal, timeoutMs },
      (unanswered) => this.#describe(unanswered, "the list of tools").message,
    );
    if (answer.ok) this.#headers?.learn(answer.tools);
    return answer;
  }

  async callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<CallAnswer> {
    const { failure, isClosed } = this.#link;
    if (failure ?? isClosed) return notSent(failure?.message ?? "The connection was closed.");
    const headers = this.#headers?.headersOf(name, args);
    const call = { name, args, ...(headers && { headers }) };
    return callTool(this.#link.requests, call, options, (unanswered) =>
      this.#describe(unanswered, "the call"),
    );
  }

  onToolsChanged(listener: () => void): void {
    this.#link.toolsChanged.listen(listener);
  }

  onClosed(listener: (failure: ConnectionFailure) => void): void {
    this.#link.onEnd(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  async #shut(): Promise<void> {
    this.#subscription?.close();
    await this.#link.close();
    await this.#client.close().catch(() => undefined);
  }

  #describe(unanswered: Unanswered, what: Asked): FailedCall {
    const described = describeAnswer(unanswered, what, this.#link);
    this.#health.judge(unanswered);
    return described;
  }
}

/** Says with each request what the handshake said once. Nothing is declared: what a server asks for in an answer is refused. */
function metaOf(sdk: typeof Sdk, protocolVersion: string): Readonly<Record<string, unknown>> {
  return {
    [sdk.PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [sdk.CLIENT_CAPABILITIES_META_KEY]: {},
    [sdk.CLIENT_INFO_META_KEY]: clientInfo(),
  };
}
