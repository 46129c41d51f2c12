import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ParsedDefinition,
  parseServerDefinition,
} from "../../../src/mcp/config/parse-server-definition.ts";
import type { StdioDefinition } from "../../../src/mcp/config/server-definition.ts";

const environment = {
  HOME: "/home/you",
  PATH: "/usr/bin:/bin",
  TOKEN: "tok-0123456789",
  EMPTY: "",
  HOST: "mcp.example.com",
};

const parse = (raw: unknown, expand = true): ParsedDefinition =>
  parseServerDefinition(raw, { environment, expand });

function usable(
  raw: unknown,
  expand = true,
): Omit<StdioDefinition, "transport"> & {
  readonly transport: string;
} {
  const parsed = parse(raw, expand);
  if (!parsed.ok) throw new Error(parsed.fault);
  return parsed.definition as StdioDefinition;
}

function faultOf(raw: unknown): string {
  const parsed = parse(raw);
  return parsed.ok ? "no fault" : parsed.fault;
}

const secretsOf = (raw: unknown): readonly string[] => parse(raw).secrets;

describe("a definition", () => {
  test("gets the documented defaults, and keeps every argument where it stands", () => {
    expect(usable({ command: "node", args: ["-e", "A", " ", "-e", "A"] })).toEqual({
      transport: "stdio",
      command: "node",
      args: ["-e", "A", " ", "-e", "A"],
      env: {},
      timeoutMs: 60_000,
      startupTimeoutMs: 20_000,
      onConflict: "reject",
      trustReadOnlyHint: false,
    });
  });

  test("takes everything it may say", () => {
    const common = {
      timeoutMs: 5,
      startupTimeoutMs: 7,
      onConflict: "qualify",
      enabledTools: ["a", "b"],
      disabledTools: ["b"],
      trustReadOnlyHint: true,
    };
    const local = { command: "c", args: ["a"], env: { K: "v" }, cwd: "/srv", ...common };
    expect(usable({ type: "stdio", ...local })).toEqual({ transport: "stdio", ...local });
    const remote = { url: "https://h.test/mcp", headers: { "X-Key": "v" }, ...common };
    expect(usable({ type: "sse", ...remote })).toEqual({ transport: "sse", ...remote });
  });

  test.each([
    ["stdio", { command: "c" }, "stdio"],
    ["http", { url: "http://h/" }, "http"],
    ["HTTP", { url: "http://h/" }, "http"],
    ["streamable_http", { url: "http://h/" }, "http"],
    ["streamable-http", { url: "http://h/" }, "http"],
    ["streamableHttp", { url: "http://h/" }, "http"],
    ["sse", { url: "http://h/" }, "sse"],
    [undefined, { command: "c" }, "stdio"],
    [undefined, { url: "http://h/" }, "http"],
  ])("of type %s is reached as it says", (type, rest, transport) => {
    expect(usable({ ...(type !== undefined && { type }), ...rest }).transport).toBe(transport);
  });

  test("uses the conflict policy that whoever asks has, unless it names one", () => {
    const options = { environment, expand: true, onConflict: "qualify" } as const;
    expect(parseServerDefinition({ command: "c" }, options)).toMatchObject({
      definition: { onConflict: "qualify" },
    });
    const named = { command: "c", onConflict: "reject" };
    expect(parseServerDefinition(named, options)).toMatchObject({
      definition: { onConflict: "reject" },
    });
  });

  test.each([
    ["~", "/home/you"],
    ["~/work", "/home/you/work"],
    ["${HOME}/x", "/home/you/x"],
    ["/srv", "/srv"],
  ])("with the folder %s starts in %s", (cwd, expected) => {
    expect(usable({ command: "c", cwd }).cwd).toBe(expected);
  });
});

describe("a fault names the place and what was expected", () => {
  const tooLong = "a whole number of milliseconds from 1 to 86400000";
  test.each<[unknown, string]>([
    [null, "expected an object with `command` or `url`, found nothing"],
    [["npx"], "expected an object with `command` or `url`, found a list"],
    [{}, "expected `command` (a program) or `url` (an address), found neither"],
    [{ command: 5 }, "command: expected the name of a program, found a number"],
    [{ command: "" }, "command: expected the name of a program, found an empty text"],
    [{ command: " " }, "command: expected the name of a program, found nothing"],
    [{ command: [] }, "command: expected the name of a program, found nothing"],
    [{ command: "c\0" }, "command: a NUL character cannot be handed over"],
    [{ command: "c", args: "-y" }, "args: expected a list of texts, found a text"],
    [{ command: "c", args: ["a", 1] }, "args.1: expected a text, found a number"],
    [{ command: "c", env: ["A=1"] }, "env: expected an object of texts, found a list"],
    [{ command: "c", env: { K: {} } }, "env.K: expected a text, found an object"],
    [{ command: "c", env: { "A=B": "1" } }, "env.A=B: this is no name of a variable"],
    [
      { command: "c", cwd: "sub" },
      "cwd: expected an absolute path, or one that begins with `~/` or a variable",
    ],
    [{ command: "c", timeoutMs: 0 }, `timeoutMs: expected ${tooLong}, found another one`],
    [{ command: "c", timeoutMs: 1.5 }, `timeoutMs: expected ${tooLong}, found another one`],
    [{ command: "c", timeoutMs: 1e9 }, `timeoutMs: expected ${tooLong}, found another one`],
    [
      { command: "c", startupTimeoutMs: "9" },
      `startupTimeoutMs: expected ${tooLong}, found a text`,
    ],
    [{ command: "c", onConflict: "x" }, "onConflict: expected reject or qualify, found a text"],
    [
      { command: "c", enabledTools: "a" },
      "enabledTools: expected a list of names of tools, found a text",
    ],
    [
      { command: "c", trustReadOnlyHint: 1 },
      "trustReadOnlyHint: expected true or false, found a number",
    ],
    [{ type: "sse" }, "url: expected an address, found nothing"],
    [{ type: "stdio", url: "http://h/" }, "command: expected the name of a program, found nothing"],
    [{ type: "ws", url: "ws://h/" }, "type: expected stdio, http or sse"],
    [{ type: "stido", command: "c" }, "type: expected stdio, http or sse. Did you mean stdio?"],
    [{ type: 3, command: "c" }, "type: expected stdio, http or sse, found a number"],
    [
      { command: "c", url: "http://h/" },
      "type: it has both `command` and `url`; say which one counts with stdio or http",
    ],
    [{ url: "ftp://h/" }, "url: expected an address that begins with http:// or https://"],
    [{ url: "h/mcp" }, "url: expected an address that begins with http:// or https://"],
    [
      { url: "https://ann:hunter2@h/" },
      "url: must not hold a user name or a password. Use a header instead, such as `Authorization`",
    ],
    [{ url: "http://h/", headers: { "A B": "x" } }, "headers.A B: this is no name of a header"],
    [
      { url: "http://h/", headers: { A: "x\r\nB: y" } },
      "headers.A: holds a character that no header can",
    ],
  ])("%j", (raw, fault) => {
    expect(faultOf(raw)).toBe(fault);
  });

  test.each([
    [{ comand: "npx", args: [] }, "Is `comand` meant to be `command`?"],
    [{ type: "stdio", Command: "npx" }, "Is `Command` meant to be `command`?"],
    [{ type: "http", uri: "http://h/" }, "Is `uri` meant to be `url`?"],
  ])("and the key that %j most probably meant", (raw, hint) => {
    expect(faultOf(raw)).toContain(hint);
  });

  test("but keys that mean nothing here are no fault", () => {
    expect(faultOf({ command: "c", comand: "d", disabled: true, evn: {} })).toBe("no fault");
  });

  test("and as far as it was said, how the server would be reached", () => {
    expect(parse({ type: "sse" })).toMatchObject({ ok: false, transport: "sse" });
    expect(parse({ command: 5 })).toMatchObject({ ok: false, transport: "stdio" });
    expect(parse({})).toMatchObject({ ok: false, transport: null });
  });
});

describe("variables", () => {
  test("are put in for command, args, env, cwd, url and headers", () => {
    expect(
      usable({
        command: "${HOME}/bin/c",
        args: ["--host=${env:HOST}", "${NONE:-d}"],
        env: { K: "${TOKEN}" },
        cwd: "${HOME}",
      }),
    ).toMatchObject({
      command: "/home/you/bin/c",
      args: ["--host=mcp.example.com", "d"],
      env: { K: "tok-0123456789" },
      cwd: "/home/you",
    });
    const remote = { url: "https://${HOST}/mcp", headers: { Authorization: "Bearer ${TOKEN}" } };
    expect(usable(remote)).toMatchObject({
      url: "https://mcp.example.com/mcp",
      headers: { Authorization: "Bearer tok-0123456789" },
    });
  });

  test.each<[unknown, string]>([
    [{ command: "${NONE}" }, "command"],
    [{ command: "c", args: ["a", "${NONE}"] }, "args.1"],
    [{ command: "c", env: { K: "a${NONE}" } }, "env.K"],
    [{ command: "c", cwd: "${NONE}/x" }, "cwd"],
    [{ url: "https://${NONE}/" }, "url"],
    [{ url: "http://h/", headers: { K: "Bearer ${NONE}" } }, "headers.K"],
  ])("that are not set are named with their place: %j", (raw, place) => {
    expect(parse(raw)).toMatchObject({
      ok: false,
      unset: true,
      fault: `${place}: the variable NONE is not set. Set it where acumen is started, or write \`\${NONE:-default}\`.`,
    });
  });

  test("that are not set do not hide what is wrong in itself", () => {
    expect(parse({ command: "${NONE}", cwd: "sub" })).toMatchObject({ unset: false });
    expect(faultOf({ command: "${NONE}", cwd: "sub" })).toMatch(/^cwd: /u);
  });

  test("written as shells do are refused where nobody would notice that nothing is put in", () => {
    const fault = "env.K: a variable is written `${TOKEN}` here";
    expect(faultOf({ command: "c", env: { K: "$TOKEN" } })).toBe(fault);
    expect(usable({ command: "c", env: { K: "pa$$word" } }).env).toEqual({ K: "pa$$word" });
  });

  test("are left alone in a definition of a host", () => {
    const raw = { command: "${NONE}", args: ["$X"], env: { K: "${TOKEN}", L: "$TOKEN" } };
    expect(usable(raw, false)).toMatchObject(raw);
  });
});

describe("secrets", () => {
  test("are all values of env and headers, the part behind a scheme, and what was put in", () => {
    const local = { command: "c", args: ["--key=${TOKEN}"], env: { A: "alpha-beta", N: 8080 } };
    expect(secretsOf(local)).toEqual(["alpha-beta", "8080", "tok-0123456789"]);
    const remote = { url: "http://h/?apiKey=k-1&page=2", headers: { A: "Bearer ${TOKEN}" } };
    expect(secretsOf(remote)).toEqual(["Bearer tok-0123456789", "tok-0123456789", "k-1"]);
  });

  test("are not what every child of the agent has anyway, nor nothing", () => {
    const env = { PATH: "${PATH}", HOME: "${HOME}", EMPTY: "${EMPTY}" };
    expect(secretsOf({ command: "${HOME}/c", env })).toEqual([]);
  });

  test("are known of a faulty definition too", () => {
    expect(secretsOf({ comand: "c", env: { A: "alpha-beta" } })).toEqual(["alpha-beta"]);
  });
});

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1.5, "", "x", "${NONE}", "${", "http://h/", "~"),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        fc.string(),
        fc.constantFrom("command", "args", "env", "url", "headers", "type", "cwd", "timeout"),
        fc.constantFrom("__proto__", "constructor", "toString", "tools", "httpUrl"),
      ),
      tie("value"),
      { noNullPrototype: true, maxKeys: 8 },
    ),
  ),
})).value;

describe("whatever JSON it is given", () => {
  test("it answers, in one line", () => {
    fc.assert(
      fc.property(json, fc.boolean(), (raw, expand) => {
        const parsed = parse(raw, expand);
        if (!parsed.ok) expect(parsed.fault).toMatch(/^[^\n\r\0]+$/u);
        else expect(["stdio", "http", "sse"]).toContain(parsed.definition.transport);
      }),
      { numRuns: 500 },
    );
  });

  test("a fault holds none of its values", () => {
    const secret = "s3cr3t-value";
    const texts = fc.constantFrom(
      secret,
      `\${${secret}`,
      `\${NONE}${secret}`,
      `x\n${secret}`,
      `\${x ${secret}}`,
    );
    const record = fc.record(
      {
        command: texts,
        args: fc.array(texts),
        env: fc.dictionary(fc.constantFrom("A", "B"), texts),
        cwd: texts,
        url: texts,
        headers: fc.dictionary(fc.constantFrom("A", "B"), texts),
        timeoutMs: texts,
        onConflict: texts,
        type: fc.constantFrom("stdio", "http", secret),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(record, (raw) => {
        const parsed = parse(raw);
        if (!parsed.ok) expect(parsed.fault).not.toContain(secret);
      }),
      { numRuns: 300 },
    );
  });
});
