/** The first and the last part of a text that is too long to show, in bounded memory while it streams. */
export class HeadTail {
  readonly #half: number;
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #total = 0;

  /** @param limit bytes of UTF-8 that are kept */
  constructor(limit: number) {
    this.#half = Math.floor(limit / 2);
  }

  /** Bytes pushed so far. */
  get total(): number {
    return this.#total;
  }

  /** Something was let go of. */
  get cut(): boolean {
    return this.#total > this.#headBytes + this.#tailBytes;
  }

  /** @param bytes whole characters of UTF-8 */
  push(bytes: Buffer): void {
    this.#total += bytes.length;
    const space = this.#half - this.#headBytes;
    if (space > 0) {
      this.#head.push(bytes.subarray(0, space));
      this.#headBytes += Math.min(space, bytes.length);
    }
    if (bytes.length > space) this.#pushTail(bytes.subarray(Math.max(0, space)));
  }

  /** What is left out whatever follows: the kept end begins anew behind it. */
  skip(bytes: number): void {
    this.#total += bytes;
    this.#tail.length = 0;
    this.#tailBytes = 0;
  }

  #pushTail(bytes: Buffer): void {
    // A copy: a slice would keep the whole chunk alive.
    this.#tail.push(Buffer.from(bytes.subarray(-this.#half)));
    this.#tailBytes += Math.min(bytes.length, this.#half);
    while (this.#tailBytes > this.#half) {
      const [first] = this.#tail;
      if (first === undefined) break;
      const surplus = this.#tailBytes - this.#half;
      if (first.length <= surplus) this.#tail.shift();
      else this.#tail[0] = first.subarray(surplus);
      this.#tailBytes -= Math.min(first.length, surplus);
    }
  }

  /** Everything, while nothing was cut. */
  bytes(): Buffer {
    return Buffer.concat([...this.#head, ...this.#tail]);
  }

  /** With `gap` between the two parts when something was cut, at line ends where there are any near. */
  text(gap: (leftOut: number) => string): string {
    if (!this.cut) return this.bytes().toString("utf8");
    const head = endAtLine(wholeCharacters(Buffer.concat(this.#head)));
    const tail = beginAtLine(wholeCharacters(Buffer.concat(this.#tail)));
    const leftOut = this.#total - Buffer.byteLength(head) - Buffer.byteLength(tail);
    return `${head}${head.endsWith("\n") ? "" : "\n"}${gap(leftOut)}\n${tail}`;
  }
}

/** Without the pieces of characters at either end. */
function wholeCharacters(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start += 1;
  let lead = bytes.length - 1;
  while (lead > Math.max(start, bytes.length - 4) && isContinuation(bytes[lead])) lead -= 1;
  const length = lengthOf(bytes[lead] ?? 0);
  const end = lead >= start && lead + length > bytes.length ? lead : bytes.length;
  return bytes.toString("utf8", start, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** Lines longer than this are cut anywhere. */
const NEAR = 2000;

function endAtLine(text: string): string {
  const at = text.lastIndexOf("\n");
  return at === -1 || text.length - at > NEAR ? text : text.slice(0, at + 1);
}

function beginAtLine(text: string): string {
  const at = text.indexOf("\n");
  return at === -1 || at > NEAR ? text : text.slice(at + 1);
}
