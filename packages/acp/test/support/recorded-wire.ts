import type { AnyMessage } from "@agentclientprotocol/sdk";
import { definitionFault, schemaFault } from "./wire-schema.ts";

/** Two pipes; what the agent sends is kept and checked. */
export class RecordedWire {
  readonly sent: AnyMessage[] = [];
  readonly faults: string[] = [];
  readonly #methods = new Map<unknown, string>();
  readonly #toAgent = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      const { id, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: string };
      if (id !== undefined && method !== undefined) this.#methods.set(id, method);
      controller.enqueue(message);
    },
  });
  readonly #toHost = new TransformStream<AnyMessage, AnyMessage>({
    transform: (message, controller) => {
      this.sent.push(message);
      const fault = this.#faultOf(message);
      if (fault !== undefined) this.faults.push(fault);
      controller.enqueue(message);
    },
  });

  get agentSide(): { writable: WritableStream<AnyMessage>; readable: ReadableStream<AnyMessage> } {
    return { writable: this.#toHost.writable, readable: this.#toAgent.readable };
  }

  get hostSide(): { writable: WritableStream<AnyMessage>; readable: ReadableStream<AnyMessage> } {
    return { writable: this.#toAgent.writable, readable: this.#toHost.readable };
  }

  /** The host sends nothing any more. */
  end(): void {
    void this.#toAgent.writable.close().catch(() => undefined);
  }

  #faultOf(message: AnyMessage): string | undefined {
    if ("method" in message) {
      const kind = "id" in message ? "Request" : "Notification";
      return schemaFault(message.method, kind, message.params);
    }
    if ("error" in message) return definitionFault("Error", message.error);
    if (!("result" in message)) return undefined;
    return schemaFault(this.#methods.get(message.id) ?? "", "Response", message.result);
  }
}
