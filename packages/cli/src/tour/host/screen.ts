import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Stage } from "../stage.ts";
import { permissionLines, updateLines } from "./host-report.ts";
import type { HostResult } from "./host-result.ts";
import { textOfBlock, TranscriptView } from "./transcript.ts";

/** What the editor shows, and what the tour notes of it. */
export class Screen {
  readonly view = new TranscriptView();
  readonly callStates: string[] = [];
  permissions: HostResult["permissions"] = { asked: 0, withDiff: 0 };
  /** The agent says something. */
  onText: (() => void) | undefined;
  readonly #stage: Stage;
  #pending: Extract<SessionUpdate, { sessionUpdate: "agent_message_chunk" }>[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  update(update: SessionUpdate): void {
    this.view.take(update);
    if (update.sessionUpdate === "agent_message_chunk") {
      this.#pending.push(update);
      this.onText?.();
      return;
    }
    this.flush();
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
      const { status } = update;
      if (typeof status === "string" && this.callStates.at(-1) !== status) {
        this.callStates.push(status);
      }
    }
    const { terminal } = this.#stage;
    terminal.print(...updateLines(terminal, update));
  }

  permission(request: RequestPermissionRequest): void {
    this.flush();
    const { asked, withDiff } = this.permissions;
    const hasDiff = (request.toolCall.content ?? []).some(({ type }) => type === "diff");
    this.permissions = { asked: asked + 1, withDiff: withDiff + (hasDiff ? 1 : 0) };
    this.callStates.push("asked");
    const { terminal } = this.#stage;
    terminal.print(...permissionLines(terminal, request));
  }

  /** Chunks of one message are shown as one. */
  flush(): void {
    const [first] = this.#pending;
    if (first === undefined) return;
    const text = this.#pending.map(({ content }) => textOfBlock(content)).join("");
    this.#pending = [];
    const { terminal } = this.#stage;
    terminal.print(...updateLines(terminal, { ...first, content: { type: "text", text } }));
  }
}
