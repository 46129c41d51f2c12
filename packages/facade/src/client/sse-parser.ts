/** One event of a stream of server-sent events. */
export interface ServerSentEvent {
  /** Of the last frame that had one. */
  readonly id: string;
  /** Default `message`. */
  readonly event: string;
  readonly data: string;
}

/** More than any frame of ours; what goes on without an end is no stream of events. */
const MAX_FRAME_CHARS = 4 * 1024 * 1024;

/** Reads server-sent events as the HTML standard describes them, however the text is cut into pieces. */
export class SseParser {
  #rest = "";
  #endsWithReturn = false;
  #isFirst = true;
  #id = "";
  #lastId = "";
  #event = "";
  #data: string[] = [];
  #size = 0;

  /** Of the last complete frame that had one, also when it had no data. */
  get lastId(): string {
    return this.#lastId;
  }

  /** The events that are complete with this text. @throws RangeError for a frame that does not end */
  push(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    for (const line of this.#lines(text)) {
      this.#size += line.length;
      const event = this.#line(line);
      if (event !== undefined) events.push(event);
    }
    if (this.#size + this.#rest.length > MAX_FRAME_CHARS) {
      throw new RangeError(`A frame has more than ${MAX_FRAME_CHARS} characters.`);
    }
    return events;
  }

  /** Lines end with CRLF, LF or CR; a CRLF may be cut in two. */
  #lines(text: string): string[] {
    if (text === "") return [];
    let added = text;
    if (this.#isFirst) added = added.replace(/^\uFEFF/, "");
    this.#isFirst = false;
    if (this.#endsWithReturn && added.startsWith("\n")) added = added.slice(1);
    if (added !== "") this.#endsWithReturn = added.endsWith("\r");
    else this.#endsWithReturn = false;
    const lines = (this.#rest + added).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? "";
    return lines;
  }

  #line(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerSentEvent | undefined {
    const data = this.#data;
    const event = this.#event === "" ? "message" : this.#event;
    this.#data = [];
    this.#event = "";
    this.#size = 0;
    this.#lastId = this.#id;
    return data.length === 0 ? undefined : { id: this.#id, event, data: data.join("\n") };
  }
}
