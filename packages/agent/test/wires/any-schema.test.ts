import type { ModelRequest } from "@acumen/models";
import fc from "fast-check";
import { expect, test } from "vitest";
import { convertSchema } from "../../src/mcp/tools/convert-schema.ts";
import { schema } from "./any-schema.ts";
import { serve, SUBJECTS } from "./subjects.ts";

test.each(SUBJECTS)("the service $wire takes whatever a schema becomes", async (subject) => {
  await using service = await serve(subject, () => ({ text: "ok" }));
  const messages: ModelRequest["messages"] = [
    { role: "user", content: [{ type: "text", text: "go" }] },
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(schema, { minLength: 1, maxLength: 20 }), async (schemas) => {
      const tools = schemas.flatMap((raw, index) => {
        const converted = convertSchema(
          index % 3 === 0 ? raw : { type: "object", properties: { v: raw } },
        );
        if (!converted.ok) return [];
        return [
          { type: "function" as const, name: `tool_${index}`, inputSchema: converted.schema },
        ];
      });
      const reply = await service.model.generate({ messages, tools });
      expect(reply.text).toBe("ok");
    }),
    { numRuns: 6 },
  );
});
