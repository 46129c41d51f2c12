import { appendFileSync, closeSync } from "node:fs";

const EMPTY_SCHEMA = { type: "object", properties: {}, additionalProperties: false };

/** A small well-behaved MCP server of the handshake era. A mode replaces parts of it before it starts. */
export class ScriptedServer {
  capabilities = { tools: { listChanged: true } };
  protocolVersion = undefined;
  lineEnd = "\n";
  /** Calls that are running, by id: what to do when they are cancelled. */
  running = new Map();
  #nextId = 1;
  #asked = new Map();
  #buffered = "";

  constructor(options) {
    this.options = { prefix: "", delayMs: 0, count: 0, ...options };
    this.tools = [this.tool("echo", { text: { type: "string" } }), this.tool("environment")];
    if (this.options.log !== undefined) this.note("started", { pid: process.pid });
  }

  tool(name, properties) {
    const schema = properties === undefined ? EMPTY_SCHEMA : { type: "object", properties };
    return {
      name: `${this.options.prefix}${name}`,
      description: `The tool ${name}`,
      inputSchema: schema,
    };
  }

  /** Appends one line of JSON to the file in `options.log`, for tests that look at the server's side. */
  note(event, facts = {}) {
    if (this.options.log === undefined) return;
    appendFileSync(this.options.log, `${JSON.stringify({ event, pid: process.pid, ...facts })}\n`);
  }

  start() {
    this.beforeStart();
    process.stdout.on("error", () => this.onGone());
    this.read();
  }

  beforeStart() {}

  read() {
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (text) => this.onText(text));
    process.stdin.on("end", () => this.onEnd());
  }

  onText(text) {
    const lines = (this.#buffered + text).split("\n");
    this.#buffered = lines.pop();
    for (const line of lines) if (line.trim() !== "") this.receive(JSON.parse(line));
  }

  onEnd() {
    this.note("stdin ended");
    process.exit(0);
  }

  onGone() {
    process.exit(0);
  }

  receive(message) {
    this.note("received", { method: message.method, id: message.id, params: message.params });
    if (message.method === undefined) {
      this.#asked.get(message.id)?.(message);
      this.#asked.delete(message.id);
    } else if (message.id === undefined) this.notified(message);
    else this.requested(message);
  }

  notified({ method, params }) {
    if (method === "notifications/initialized") this.initialized();
    if (method === "notifications/cancelled") {
      this.note("cancelled", { id: params?.requestId });
      this.running.get(params?.requestId)?.();
    }
  }

  initialized() {}

  requested({ id, method, params }) {
    if (method === "initialize") this.answer(id, this.initialize(params));
    else if (method === "ping") this.answer(id, {});
    else if (method === "tools/list") this.list(id, params ?? {});
    else if (method === "tools/call") this.call(id, params ?? {});
    else this.refuse(id, -32601, `Method not found: ${method}`);
  }

  initialize(params) {
    return {
      protocolVersion: this.protocolVersion ?? params.protocolVersion,
      capabilities: this.capabilities,
      serverInfo: { name: "scripted", version: "1.0.0" },
      ...(this.options.instructions !== undefined && { instructions: this.options.instructions }),
    };
  }

  list(id, _params) {
    this.answer(id, { tools: this.tools });
  }

  call(id, params) {
    const name = params.name?.slice(this.options.prefix.length);
    const args = params.arguments ?? {};
    if (name === "environment") this.answer(id, text(JSON.stringify(process.env)));
    else this.callOther(id, { name, args, meta: params._meta ?? {} });
  }

  /** Every tool but `environment`. */
  callOther(id, { args }) {
    this.answer(id, text(typeof args.text === "string" ? args.text : JSON.stringify(args)));
  }

  answer(id, result) {
    this.send({ jsonrpc: "2.0", id, result });
  }

  refuse(id, code, message, data) {
    this.send({
      jsonrpc: "2.0",
      id,
      error: { code, message, ...(data !== undefined && { data }) },
    });
  }

  notify(method, params) {
    this.send({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
  }

  /** A request of the server to the client; resolves with the client's whole message. */
  ask(method, params = {}) {
    const id = `from-server-${this.#nextId++}`;
    this.send({ jsonrpc: "2.0", id, method, params });
    return new Promise((resolve) => this.#asked.set(id, resolve));
  }

  progress(meta, progress, message) {
    if (meta.progressToken === undefined) return;
    this.notify("notifications/progress", {
      progressToken: meta.progressToken,
      progress,
      ...(message !== undefined && { message }),
    });
  }

  send(message) {
    this.raw(`${JSON.stringify(message)}${this.lineEnd}`);
  }

  raw(bytes) {
    process.stdout.write(bytes);
  }

  /** Really: Node keeps the descriptor of a destroyed `process.stdout` open. */
  closeOutput() {
    closeSync(1);
  }
}

export function text(value) {
  return { content: [{ type: "text", text: value }] };
}
