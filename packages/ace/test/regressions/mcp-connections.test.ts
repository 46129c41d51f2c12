import { silentLogger } from "@acumen/core";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { createService, serverFactory } from "../../src/integrations/mcp/index.ts";
import { testConfig } from "../integrations/mcp/support/engine.ts";
import { replyOf } from "../integrations/mcp/support/server-process.ts";

describe("several connections to one service (mcp-confluent#122)", () => {
  it("each gets a protocol server of its own and sees only its own answers", async () => {
    const options = { config: testConfig(), logger: silentLogger };
    const create = await serverFactory(options, createService(options));
    const connect = async (): Promise<Client> => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      await create().connect(far);
      const client = new Client({ name: "test", version: "1.0.0" });
      await client.connect(near);
      return client;
    };
    const clients = await Promise.all([connect(), connect()]);
    await Promise.all(
      clients.map(async (client, number) => {
        for (let round = 0; round < 10; round += 1) {
          const session_id = `client-${number}-${round % 3}`;
          const args = { session_id, question: "q" };
          expect(
            replyOf(await client.callTool({ name: "ace.ask", arguments: args })),
          ).toMatchObject({ session_id });
        }
      }),
    );
    for (const client of clients) await client.close();
  });
});
