import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { HostFacts } from "../server-options.ts";
import { type Greeting, greetingOf } from "./greeting.ts";

/** Undefined: nothing comes any more. */
type Arrival = AnyMessage | undefined;

/** The protocol's library at work for one host. */
export interface HostApp {
  readonly closed: Promise<void>;
  close(): void;
  /** Closes the host's sessions. May be called twice. */
  closeSessions(): Promise<void>;
}

/** What a greeting is answered with, and the facts that it tells. */
interface Welcome {
  readonly facts: HostFacts;
  readonly result: unknown;
}

export interface HostLinkOptions {
  /** Loads nothing that takes long. When it fails, the answer is left to the library. */
  readonly welcome: (greeting: Greeting) => Promise<Welcome>;
  /** Loads the protocol's library. Its first answer to `initialize` tells these facts, where there are any. */
  readonly load: (stream: Stream, facts: HostFacts | undefined) => Promise<HostApp>;
}

/**
 * The way to one host. A host that begins with `initialize`, as all do, is answered before the protocol's library is loaded, which
 * takes longer than a host should wait. The library then gets the same request, and its answer, which is the same, is not sent.
 */
export class HostLink {
  /** Nothing comes or goes any more. Rejects when the library cannot be loaded. */
  readonly closed: Promise<void>;
  readonly #options: HostLinkOptions;
  readonly #reader: ReadableStreamDefaultReader<AnyMessage>;
  readonly #writer: WritableStreamDefaultWriter<AnyMessage>;
  #app: HostApp | undefined;
  #isEnded = false;
  #end: () => void = () => undefined;

  constructor({ readable, writable }: Stream, options: HostLinkOptions) {
    this.#options = options;
    this.#reader = readable.getReader();
    this.#writer = writable.getWriter();
    const ended = new Promise<void>((resolve) => {
      this.#end = () => {
        this.#isEnded = true;
        resolve();
      };
    });
    this.closed = Promise.race([ended, this.#serve()]);
  }

  close(): void {
    if (this.#app !== undefined) {
      this.#app.close();
      return;
    }
    this.#end();
    void this.#reader.cancel().catch(() => undefined);
  }

  /** May be called twice. */
  async closeSessions(): Promise<void> {
    await this.#app?.closeSessions();
  }

  async #serve(): Promise<void> {
    const first = await this.#read();
    const greeting = first && greetingOf(first);
    const welcome = greeting && (await this.#options.welcome(greeting).catch(() => undefined));
    if (greeting !== undefined && welcome !== undefined && !this.#isEnded) {
      const { result } = welcome;
      await this.#writer.write({ jsonrpc: "2.0", id: greeting.id, result }).catch(this.#end);
    }
    if (first === undefined || this.#isEnded) return;
    // Read on, so that a host that leaves at once need not wait for what is loaded.
    const second = this.#read();
    void second.then((message) => {
      const isIdle = welcome !== undefined && this.#app === undefined;
      if (message === undefined && isIdle) this.#end();
    });
    const unsent = welcome === undefined ? undefined : greeting?.id;
    const app = await this.#options.load(this.#stream([first, second], unsent), welcome?.facts);
    if (this.#isEnded) app.close();
    else this.#app = app;
    await app.closed;
  }

  /** A stream that broke has come to its end. */
  async #read(): Promise<Arrival> {
    const { value } = await this.#reader.read().catch(() => ({ value: undefined }));
    return value;
  }

  /**
   * What the library reads and writes. With `unsent`, its answer to this id is not sent, and what the host said behind its greeting
   * waits until that has been given: the library refuses everything before it.
   */
  #stream(
    [first, second]: readonly [AnyMessage, Promise<Arrival>],
    unsent: Greeting["id"] | undefined,
  ): Stream {
    let introduce = (): void => undefined;
    const introduced =
      unsent === undefined ? undefined : new Promise<void>((resolve) => (introduce = resolve));
    let isIntroduced = unsent === undefined;
    let next: Promise<Arrival> | undefined = second;
    return {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => controller.enqueue(first),
        pull: async (controller) => {
          await introduced;
          const message = await (next ?? this.#read());
          next = undefined;
          if (message === undefined) controller.close();
          else controller.enqueue(message);
        },
        cancel: (reason) => this.#reader.cancel(reason),
      }),
      writable: new WritableStream<AnyMessage>({
        write: (message) => {
          if (isIntroduced || "method" in message || message.id !== unsent) {
            return this.#writer.write(message);
          }
          isIntroduced = true;
          return introduce();
        },
        close: () => this.#writer.close(),
        abort: (reason) => this.#writer.abort(reason),
      }),
    };
  }
}
