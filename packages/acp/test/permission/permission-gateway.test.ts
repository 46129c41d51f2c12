import type { ApprovalRequest, EventPayload } from "@acumen/agent";
import {
  type AgentContext,
  RequestError,
  type RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { hostApprovals } from "../../src/permission/permission-gateway.ts";
import { schemaFault } from "../support/wire-schema.ts";

const NEVER = new AbortController().signal;
const REQUEST: ApprovalRequest = {
  sessionId: "s1",
  turnId: "t1",
  callId: "c1",
  tool: "edit",
  origin: { type: "builtin" },
  kind: "edit",
  risk: "write",
  title: "Edit a.txt",
  paths: ["/w/a.txt"],
  diff: [{ path: "/w/a.txt", old_text: null, new_text: "x\n" }],
  input: '{"path":"a.txt"}',
  options: ["allow_once", "allow_always", "reject_once", "reject_always"],
  alwaysCovers: "edit in this workspace",
  reason: "Mode safe asks before writes.",
};
const CALL: EventPayload<"TOOL_CALL"> = {
  call_id: "c1",
  tool: "edit",
  exposed_name: "edit",
  kind: "edit",
  title: "Edit a.txt",
  input: { path: "a.txt", content: "x\n" },
  locations: [{ path: "/w/a.txt", line: 1 }],
  diff: [{ path: "/w/a.txt", old_text: null, new_text: "x\n" }],
};

const announced = (): undefined => undefined;

/** A host that answers with what the function gives; what it was asked is kept and keeps the protocol. */
function hostWith(answer: () => unknown): {
  readonly client: Pick<AgentContext, "request">;
  readonly asked: RequestPermissionRequest[];
} {
  const asked: RequestPermissionRequest[] = [];
  const request = async (method: string, params: RequestPermissionRequest): Promise<unknown> => {
    expect(schemaFault(method, "Request", params)).toBeUndefined();
    asked.push(params);
    return answer();
  };
  return { client: { request } as unknown as Pick<AgentContext, "request">, asked };
}

function selected(optionId: unknown): unknown {
  return { outcome: { outcome: "selected", optionId } };
}

async function shown(
  request: Partial<ApprovalRequest>,
  call: EventPayload<"TOOL_CALL"> | undefined = CALL,
): Promise<RequestPermissionRequest> {
  const { client, asked } = hostWith(() => selected("allow_once"));
  await hostApprovals(client, () => call).request({ ...REQUEST, ...request }, NEVER);
  const [params] = asked;
  if (params === undefined) throw new Error("nobody was asked");
  return params;
}

describe("what a host is asked", () => {
  test("repeats the call as it was announced: id, title, kind, input, places and diff", async () => {
    const { sessionId, toolCall } = await shown({});
    expect(sessionId).toBe("s1");
    expect(toolCall).toMatchObject({
      toolCallId: "c1",
      title: "Edit a.txt",
      name: "edit",
      kind: "edit",
      status: "pending",
      rawInput: { path: "a.txt", content: "x\n" },
      locations: [{ path: "/w/a.txt", line: 1 }],
    });
    expect(toolCall.content?.[0]).toEqual({
      type: "diff",
      path: "/w/a.txt",
      oldText: null,
      newText: "x\n",
    });
  });

  test("offers one option of each kind, with names that say what always covers", async () => {
    const { options } = await shown({});
    expect(options).toEqual([
      { optionId: "allow_once", kind: "allow_once", name: "Allow once" },
      {
        optionId: "allow_always",
        kind: "allow_always",
        name: "Always allow: edit in this workspace",
      },
      { optionId: "reject_once", kind: "reject_once", name: "Reject" },
      {
        optionId: "reject_always",
        kind: "reject_always",
        name: "Always reject: edit in this workspace",
      },
    ]);
  });

  test("a long reach of always is cut in the name and whole in the content", async () => {
    const alwaysCovers = `exactly the command ${"x".repeat(300)} in /w`;
    const { options, toolCall } = await shown({ alwaysCovers });
    for (const { name } of options) expect(name.length).toBeLessThanOrEqual(101);
    expect(JSON.stringify(toolCall.content)).toContain(alwaysCovers);
  });

  test("nothing is offered that was not asked for", async () => {
    const { options } = await shown({ options: ["allow_once", "reject_once"], alwaysCovers: "" });
    expect(options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
  });

  test("shows the whole command, where it runs and why it is asked", async () => {
    const command = "echo `date`\nrm -r build";
    const { toolCall } = await shown({
      command,
      cwd: "/w/sub",
      background: true,
      diff: [],
      paths: [],
    });
    expect(toolCall.content).toEqual([
      {
        type: "content",
        content: {
          type: "text",
          text: `\`\`\`\n${command}\n\`\`\`\nIn /w/sub, in the background.\nMode safe asks before writes.`,
        },
      },
    ]);
  });

  test("shows the input of a call that has neither command nor files", async () => {
    const { toolCall } = await shown({ diff: [], paths: [], input: '{"table":"users"}' });
    expect(JSON.stringify(toolCall.content)).toContain('{\\"table\\":\\"users\\"}');
  });

  test("a strict reader can read it, also where nothing was announced", async () => {
    const { client, asked } = hostWith(() => selected("allow_once"));
    const odd = { ...REQUEST, title: "a\uD800\0", diff: [] };
    await hostApprovals(client, announced).request(odd, NEVER);
    expect(asked[0]?.toolCall.title).toBe("a\uFFFD\uFFFD");
    expect(asked[0]?.toolCall).not.toHaveProperty("rawInput");
  });
});

describe("what an answer means", () => {
  test.each(REQUEST.options)("%s is taken by its id", async (option) => {
    const { client } = hostWith(() => selected(option));
    expect(await hostApprovals(client, announced).request(REQUEST, NEVER)).toBe(option);
  });

  test.each(["yes", "ALLOW_ONCE", "", "cancelled", "toString"])(
    "an id that was not offered is a refusal: %j",
    async (id) => {
      const { client } = hostWith(() => selected(id));
      expect(await hostApprovals(client, announced).request(REQUEST, NEVER)).toBe("reject_once");
    },
  );

  test("an id of a kind that was not offered is a refusal", async () => {
    const { client } = hostWith(() => selected("allow_always"));
    const request = { ...REQUEST, options: ["allow_once", "reject_once"] as const };
    expect(await hostApprovals(client, announced).request(request, NEVER)).toBe("reject_once");
  });

  test.each([
    undefined,
    null,
    "allow_once",
    {},
    { outcome: "selected" },
    { outcome: { optionId: "allow_once" } },
    { outcome: { outcome: "allowed", optionId: "allow_once" } },
    selected(["allow_once"]),
    selected(undefined),
  ])("what is no answer never allows: %j", async (answer) => {
    const { client } = hostWith(() => answer);
    await expect(hostApprovals(client, announced).request(REQUEST, NEVER)).rejects.toThrow();
  });

  test("cancelled is no refusal, also as the error of a cancelled request", async () => {
    const outcome = hostWith(() => ({ outcome: { outcome: "cancelled" } }));
    expect(await hostApprovals(outcome.client, announced).request(REQUEST, NEVER)).toBe(
      "cancelled",
    );
    const failing = hostWith(() => {
      throw RequestError.requestCancelled();
    });
    expect(await hostApprovals(failing.client, announced).request(REQUEST, NEVER)).toBe(
      "cancelled",
    );
  });

  test("an answer after the cancel is no consent, and nobody is asked after it", async () => {
    const turn = new AbortController();
    const { client, asked } = hostWith(() => {
      turn.abort();
      return selected("allow_once");
    });
    const approvals = hostApprovals(client, announced);
    expect(await approvals.request(REQUEST, turn.signal)).toBe("cancelled");
    expect(await approvals.request(REQUEST, turn.signal)).toBe("cancelled");
    expect(asked).toHaveLength(1);
  });
});
