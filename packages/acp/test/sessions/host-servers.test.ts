import fc from "fast-check";
import { expect, test } from "vitest";
import { hostServers } from "../../src/sessions/host-servers.ts";

test("servers keep what they are started with, in our shape", () => {
  expect(
    hostServers([
      {
        name: "local",
        command: "/bin/server",
        args: ["--x", "$HOME"],
        env: [
          { name: "KEY", value: "first" },
          { name: "KEY", value: "last" },
        ],
      },
      {
        type: "http",
        name: "web",
        url: "https://example.com/mcp",
        headers: [{ name: "Authorization", value: "Bearer x" }],
      },
      { type: "sse", name: "old", url: "http://127.0.0.1:1/sse", headers: [] },
    ]),
  ).toEqual({
    local: {
      type: "stdio",
      command: "/bin/server",
      args: ["--x", "$HOME"],
      env: { KEY: "last" },
    },
    web: {
      type: "http",
      url: "https://example.com/mcp",
      headers: { Authorization: "Bearer x" },
    },
    old: { type: "sse", url: "http://127.0.0.1:1/sse", headers: {} },
  });
  expect(hostServers([])).toEqual({});
});

const server = (name: string) => ({ name, command: "x", args: [], env: [] });

test.each([
  [["My Server (beta)"], ["My-Server-beta"]],
  [
    ["a b", "a-b", "a  b"],
    ["a-b", "a-b-2", "a-b-3"],
  ],
  [
    ["", "  ", "\u0434\u0430"],
    ["server", "server-2", "server-3"],
  ],
  [
    ["__proto__", "constructor"],
    ["server", "constructor"],
  ],
  [["x".repeat(100)], ["x".repeat(64)]],
])("%j are called %j", (names, expected) => {
  expect(Object.keys(hostServers(names.map(server)))).toEqual(expected);
});

test("whatever hosts call their servers, none is lost and every name can be used", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 90 }), { maxLength: 30 }),
      (names) => {
        const keys = Object.keys(hostServers(names.map(server)));
        expect(keys).toHaveLength(names.length);
        for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9._-]{1,64}$/u);
      },
    ),
  );
});
