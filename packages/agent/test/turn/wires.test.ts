import type { ModelReply } from "@acumen/testkit";
import { expect, test } from "vitest";
import { type Service, serve, SUBJECTS } from "../wires/subjects.ts";
import { answers, payloadsOf, testAgent, toolOf, typesOf } from "./test-agent.ts";

const look = (input: number): { name: string; input: unknown } => ({
  name: "look",
  input: { at: input },
});
const replies: readonly ModelReply[] = [
  {
    reasoning: { text: "I need both.", signature: "SIGNATURE-ONE-abc+/=" },
    text: "I look.",
    toolCalls: [look(1), look(2)],
  },
  { reasoning: { text: "One is slow.", signature: "SIGNATURE-TWO-abc+/=" }, toolCalls: [look(3)] },
  { text: "After the cancel." },
  { text: "Cut ", finish: "length" },
  { text: "off." },
];

test.each(SUBJECTS)(
  "turns with calls, a cancel and a continuation on the wire $wire",
  async (subject) => {
    await using service: Service = await serve(subject, replies);
    const controller = new AbortController();
    const tool = toolOf("look", async (input, { signal }) => {
      if (JSON.stringify(input) !== '{"at":3}') return answers("red")();
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
        controller.abort();
      });
      throw signal.reason;
    });
    await using host = await testAgent({ model: service.model, tools: [tool] });
    const first = await host.prompt("go", { signal: controller.signal });
    expect(first.stopReason).toBe("cancelled");
    expect(await host.prompt("on")).toMatchObject({ text: "After the cancel." });
    expect(await host.prompt("more")).toMatchObject({ stopReason: "end_turn", text: "Cut off." });
    expect(service.server.requests).toHaveLength(5);
    expect(payloadsOf(host.session.events, "TOOL_RESULT").map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "cancelled",
    ]);
    expect(typesOf(host.session.events)).not.toContain("ERROR");
    if (subject.signs) {
      const sent = JSON.stringify(service.server.requests.at(-1)?.body);
      expect(sent).toContain("SIGNATURE-ONE-abc+/=");
    }
  },
);
