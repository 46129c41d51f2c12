import { systemClock } from "@acumen/core";
// Not through the public entry: that would load much else, several times a test.
import { EventLog } from "../../src/session/event-log.ts";
import { FileSessionStore } from "../../src/session/file-session-store.ts";
import { prompted, said } from "./support.ts";

/**
 * A process of its own that opens a session and then
 * - `hold`: waits for the end of its input and closes it;
 * - `append`: appends events for ever, and says after each which seq is stored;
 * - `fill`: appends events of the given sizes, and says which were stored.
 */
const [, , home = "", sessionId = "", action = "hold", ...sizes] = process.argv;
const opened = await new FileSessionStore({ home }).open(sessionId);
const log = new EventLog(opened, { clock: systemClock });
const place = { turnId: null, step: 0 };
const say = (text: string): Promise<void> =>
  new Promise((resolve) => void process.stdout.write(`${text}\n`, () => resolve()));

await say("open");
if (action === "append") {
  for (let round = 0; ; round += 1) {
    const texts = ["a", "b".repeat((round * 7919) % 20_000), "c"];
    const events = await Promise.all(
      texts.map((text) => log.record(round % 50 === 0 ? prompted(text) : said(text), place)),
    );
    await say(`stored ${events.at(-1)?.seq}`);
  }
}
if (action === "fill") {
  for (const size of sizes) {
    try {
      const { seq } = await log.record(said("x".repeat(Number(size))), place);
      await say(`stored ${seq}`);
    } catch (error) {
      await say(`failed ${Object(error).code} ${Object(error).message}`);
    }
  }
}
if (action === "hold") {
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once("end", resolve));
}
await opened.close();
await say("closed");
