import { text } from "../scripted-server.mjs";

const always = (result) => (server) => {
  server.callOther = (id) => server.answer(id, result);
};

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Which results come back that no server should send, or that need care. */
export const resultModes = {
  "no-content": always({}),
  "null-result": always(null),
  "content-is-a-string": always({ content: "just a string" }),
  "empty-content": always({ content: [] }),
  "unknown-block": always({
    content: [
      { type: "hologram", data: "x" },
      { type: "text", text: "after the hologram" },
    ],
  }),
  "null-fields": always({
    content: [{ type: "text", text: "nulls around me", annotations: null, _meta: null }],
    structuredContent: null,
    isError: null,
    _meta: null,
  }),
  "blocks-without-their-fields": always({
    content: [{ type: "text" }, { type: "image" }, { type: "resource" }, null, "text", { a: 1 }],
  }),
  "every-block": always({
    content: [
      { type: "text", text: "a text" },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      { type: "audio", data: "UklGRiQAAABXQVZF", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "a note" } },
      { type: "resource", resource: { uri: "bin://1", mimeType: "a/b", blob: "AAECAwQ=" } },
      { type: "resource_link", uri: "https://example.test/page", name: "page" },
    ],
    structuredContent: { answer: 42 },
  }),
  "image-that-is-none": always({
    content: [{ type: "image", data: "@@ no base64 @@", mimeType: "image/png" }],
  }),
  "error-with-structured-content": (server) => {
    server.tools[0].outputSchema = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
    };
    server.callOther = (id) =>
      server.answer(id, {
        ...text("the real reason"),
        isError: true,
        structuredContent: { code: 1 },
      });
  },
  "protocol-error": (server) => {
    server.callOther = (id) => server.refuse(id, -32000, "the database is down", { shard: 3 });
  },
  "ansi-in-result": always(text("\u001b[2J\u001b[31mred\u001b[0m \u202Etxet\u202C done")),
  "secrets-in-result": (server) => {
    const secrets = () =>
      `env ${process.env.SERVER_SECRET}, Bearer abcdefghijklmnop0123456789, sk-${"k3yV4lue".repeat(5)}`;
    server.callOther = (id, { args }) => {
      if (args.text === "refuse") return server.refuse(id, -32000, secrets(), { env: secrets() });
      return server.answer(id, {
        ...text(secrets()),
        structuredContent: { note: secrets(), more: [secrets()] },
        isError: args.text === "fail",
      });
    };
  },
  "20-mb-result": always(text(`begin ${"0123456789abcdef".repeat(1_310_720)} end`)),
  "message-over-64-mib": (server) => {
    server.callOther = (id) => {
      server.raw(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`,
      );
      const chunk = "x".repeat(2 ** 20);
      for (let sent = 0; sent < 70; sent += 1) server.raw(chunk);
      server.raw('"}]}}\n');
    };
  },
  "endless-line": (server) => {
    server.callOther = () => {
      const chunk = "x".repeat(2 ** 20);
      const more = () => process.stdout.write(chunk, more);
      more();
    };
  },
  "deep-result": (server) => {
    const depth = 100_000;
    server.callOther = (id) =>
      server.raw(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}}\n`,
      );
  },
};
