import type { Clock, Logger } from "@acumen/core";
import { setImmediate } from "node:timers/promises";
import type { ResolvedMcpServer } from "../config/resolved-config.ts";
import type { McpState, McpStatusChange } from "../mcp-status.ts";
import type { OfferedTools } from "../offered-tools.ts";
import { ConnectionRun, type OpenServer } from "./connection-run.ts";
import { notSent } from "./describe-answer.ts";
import type { CallAnswer, CallOptions, ConnectionFailure, ListedTool } from "./mcp-connection.ts";
import { RestartBackoff, type RestartRules } from "./restart-backoff.ts";
import { restOf } from "./rest-state.ts";
import { withoutName } from "./without-name.ts";

export interface HandleOptions {
  readonly open: OpenServer;
  /** What of a list can be offered to the model. */
  readonly read: (
    server: ResolvedMcpServer,
    listed: readonly ListedTool[],
    before: OfferedTools | undefined,
  ) => OfferedTools;
  /** The tools are other ones: names are settled anew, and {@link McpConnectionHandle.reject} may follow at once. */
  readonly onOffer: () => void;
  readonly onChange: (change: McpStatusChange) => void;
  /** Without secrets, without what a terminal obeys, bounded. */
  readonly safe: (text: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly restarts?: RestartRules;
}

/** These do not go away by themselves. That one does not speak the protocol is no such thing, once it has spoken it. */
const LASTING: ReadonlySet<ConnectionFailure["kind"]> = new Set(["needs_auth", "not_started"]);

/** What there is to say of a server that is connected: tools that are left out, a list that was cut, one that is out of date. */
const REMARKS = ["limit", "incomplete", "stale"] as const;
type Remark = (typeof REMARKS)[number];

/** One server of a session through all its states; its connections come and go. */
export class McpConnectionHandle {
  readonly #options: HandleOptions;
  readonly #backoff: RestartBackoff;
  #server: ResolvedMcpServer;
  #state: McpState | null = null;
  #reason: string | undefined;
  #since = "";
  /** Present while it connects and while it is connected. */
  #run: ConnectionRun | undefined;
  #restart: NodeJS.Timeout | undefined;
  /** The connection that is tried replaces one that ended. */
  #isRestart = false;
  /** What its last connection offered; kept while it is restarted, and for the claims of one that was rejected. */
  #offered: OfferedTools | undefined;
  #isRejected = false;
  readonly #remarks = new Map<Remark, string>();
  /** It is not at rest: whether it works or not, it was tried. */
  #isWanted = false;
  #isClosed = false;
  /** Everything that has to be gone before the next connection begins. */
  #leaving: Promise<unknown> = Promise.resolve();

  constructor(server: ResolvedMcpServer, options: HandleOptions) {
    this.#server = server;
    this.#options = options;
    this.#backoff = new RestartBackoff(options.clock, options.restarts);
  }

  get server(): ResolvedMcpServer {
    return this.#server;
  }

  /** Null before the first {@link follow}. */
  get state(): McpState | null {
    return this.#state;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  /** ISO 8601, UTC. */
  get since(): string {
    return this.#since;
  }

  get protocolVersion(): string | null {
    return this.#state === "connected" ? (this.#run?.connection?.protocolVersion ?? null) : null;
  }

  /** What the server says about itself; unchecked. */
  get instructions(): string | undefined {
    return this.#state === "connected" ? this.#run?.connection?.instructions : undefined;
  }

  /** Has a part in the settlement of names, also when it lost it. */
  get claimed(): OfferedTools | undefined {
    return this.#offered;
  }

  /** Given to the model, also while the server is restarted: calls say then what happened. */
  get offered(): OfferedTools | undefined {
    return this.#isRejected ? undefined : this.#offered;
  }

  /** Lost its names to another server. */
  get isRejected(): boolean {
    return this.#isRejected;
  }

  /** Does what files, trust and session say by now. What has not changed for this server is left alone. */
  follow(server: ResolvedMcpServer, paused: boolean): void {
    if (this.#isClosed) return;
    const isSame = this.#server.fingerprint === server.fingerprint;
    this.#server = server;
    const rest = restOf(server, paused);
    if (rest !== undefined) {
      this.#isWanted = false;
      this.#halt(rest.why);
      this.#forget();
      this.#set(rest.state, rest.reason);
    } else if (!this.#isWanted || !isSame) {
      this.#halt("its definition has changed");
      this.#forget();
      this.#begin();
    }
  }

  /** Connects anew, whatever it does now; only for one that is not at rest. */
  retry(): void {
    if (this.#isClosed || !this.#isWanted) return;
    this.#halt("it was started anew");
    if (this.#isRejected) this.#forget();
    this.#begin();
  }

  /** Other servers came before it: its connection ends. */
  reject(reason: string): void {
    if (this.#isClosed) return;
    this.#isRejected = true;
    this.#halt("its names belong to another server");
    this.#set("error", reason);
  }

  /** What else there is to say of its tools while it is connected; undefined: nothing. */
  remark(text: string | undefined): void {
    this.#note("limit", text);
  }

  /** No attempt to connect is under way. */
  async settled(): Promise<void> {
    while (this.#state === "connecting" && this.#run !== undefined) await this.#run.done;
  }

  /** What ran of it runs no more. */
  async gone(): Promise<void> {
    await this.#leaving;
  }

  /** Nothing of it runs any more when this resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#halt("the session was closed");
    await this.#leaving;
  }

  /** Never replayed. @throws the abort's error */
  async call(
    { name, identity }: { readonly name: string; readonly identity: string },
    args: Readonly<Record<string, unknown>>,
    options: Pick<CallOptions, "signal" | "onProgress">,
  ): Promise<CallAnswer> {
    const run = this.#run;
    const { definition } = this.#server;
    if (this.#state !== "connected" || run?.connection === undefined || definition === undefined) {
      return notSent(`It is not connected${this.#because()}`);
    }
    const offered = this.#offered?.get(name);
    if (offered === undefined) {
      return notSent("The server no longer offers it.");
    }
    if (offered.identity !== identity) {
      return notSent("The server has changed it. Look at its new description.");
    }
    const { timeoutMs } = definition;
    const answer = run.connection.callTool(name, args, { ...options, timeoutMs });
    // What the connection knows of the call says more than that it ended, and may come with that.
    const over = run.over.then((ended) => setImmediate(ended));
    const said = await Promise.race([answer, over]);
    // Why it ended is known here.
    const isEnd = !said.ok && said.kind === "closed" && this.#run !== run;
    return isEnd ? run.over : said;
  }

  #because(): string {
    const state = this.#state === "error" ? "" : ` (${this.#state ?? "not started"})`;
    return this.#reason === undefined ? `${state}.` : `${state}: ${this.#reason}`;
  }

  #begin(): void {
    this.#isWanted = true;
    this.#isRestart = false;
    this.#backoff.reset();
    this.#connect();
  }

  #connect(): void {
    const { definition, name } = this.#server;
    if (definition === undefined) return;
    const run = new ConnectionRun({ name, definition }, this.#options);
    this.#run = run;
    this.#remarks.delete("incomplete");
    this.#remarks.delete("stale");
    this.#set("connecting", this.#isRestart ? this.#reason : undefined);
    run.start(this.#leaving, {
      onFailed: (failure, wasConnected) => this.#failed(run, failure, wasConnected),
      onListed: (listed, incomplete) => this.#listed(run, listed, incomplete),
      onStale: (reason) => this.#stale(run, reason),
    });
  }

  #listed(run: ConnectionRun, listed: readonly ListedTool[], incomplete: string | undefined): void {
    if (this.#run !== run) return;
    this.#offered = this.#options.read(this.#server, listed, this.#offered);
    this.#options.onOffer();
    // It was rejected in the meantime.
    if (this.#run !== run) return;
    this.#isRestart = false;
    if (this.#state !== "connected") this.#backoff.connected();
    this.#note("stale", undefined);
    this.#note("incomplete", incomplete);
    this.#set("connected", this.#remarked());
  }

  #stale(run: ConnectionRun, reason: string): void {
    if (this.#run !== run) return;
    const why = withoutName(reason, this.#server.name);
    this.#note(
      "stale",
      `Its list of tools has changed and could not be read; the tools are those of before. ${why} A retry reads it again.`,
    );
  }

  #note(remark: Remark, text: string | undefined): void {
    if (text === undefined) this.#remarks.delete(remark);
    else this.#remarks.set(remark, text);
    if (this.#state === "connected") this.#set("connected", this.#remarked());
  }

  #remarked(): string | undefined {
    const texts = REMARKS.flatMap((remark) => this.#remarks.get(remark) ?? []);
    return texts.length === 0 ? undefined : texts.join(" ");
  }

  #failed(run: ConnectionRun, failure: ConnectionFailure, wasConnected: boolean): void {
    if (this.#run !== run) return;
    const { kind } = failure;
    const message = withoutName(failure.message, this.#server.name);
    const mayRestart = (wasConnected || this.#isRestart) && !LASTING.has(kind);
    const restart = mayRestart ? this.#backoff.next() : undefined;
    const known =
      kind === "needs_auth" && !message.startsWith(kind) ? `${kind}: ${message}` : message;
    this.#halt(known);
    if (restart === undefined) {
      this.#forget();
      const end = mayRestart
        ? `It ended too often and is not started again by itself (retry it by hand). ${known}`
        : known;
      this.#set("error", end);
      return;
    }
    const { delayMs, attempt, attempts } = restart;
    this.#isRestart = true;
    this.#restart = setTimeout(() => this.#connect(), delayMs);
    this.#restart.unref();
    this.#set("error", `Restart ${attempt} of ${attempts} in ${delayMs / 1_000} s. ${known}`);
  }

  /** Ends what runs and what would begin; calls that are under way end with `why`. */
  #halt(why: string): void {
    clearTimeout(this.#restart);
    const run = this.#run;
    this.#run = undefined;
    if (run === undefined) return;
    const message = this.#options.safe(/[.!?…]$/u.test(why) ? why : `${why}.`);
    this.#leaving = Promise.all([this.#leaving, run.stop(message)]);
  }

  #forget(): void {
    this.#isRejected = false;
    if (this.#offered === undefined) return;
    this.#offered = undefined;
    this.#options.onOffer();
  }

  #set(state: McpState, reason?: string): void {
    const { onChange, safe, clock } = this.#options;
    const shown = reason === undefined ? undefined : safe(reason);
    const previous = this.#state;
    if (this.#isClosed || (previous === state && this.#reason === shown)) return;
    if (previous !== state) this.#since = clock.now().toISOString();
    this.#state = state;
    this.#reason = shown;
    onChange({ server: this.#server.name, state, previous, reason: shown ?? null });
  }
}
