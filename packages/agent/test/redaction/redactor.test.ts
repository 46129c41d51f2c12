import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor, type Redactor } from "../../src/redaction/redactor.ts";

const SECRETS = ["correct-horse-battery", "correct-horse", 'k&y/with=odd "chars"', "short"];
const redact = createRedactor(SECRETS);

function inPieces(redactor: Redactor, text: string, cuts: readonly number[]): string {
  const stream = redactor.stream();
  const at = [...cuts.map((cut) => cut % (text.length + 1)), 0, text.length].toSorted(
    (a, b) => a - b,
  );
  const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

const KEY = "0123456789abcdefghij0123456789abcdef";
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0123\nabcdefghijklmnop==\n-----END RSA PRIVATE KEY-----`;

test.each([
  ["a known secret", "a correct-horse-battery b", "a [hidden] b"],
  ["a known secret in a word", "xcorrect-horsey", "x[hidden]y"],
  ["percent-encoded", `u=${encodeURIComponent(SECRETS[2] ?? "")}&x`, "u=[hidden]&x"],
  [
    "as form data",
    `u=${new URLSearchParams({ a: SECRETS[2] ?? "" }).toString().slice(2)}&x`,
    "u=[hidden]&x",
  ],
  ["within JSON", JSON.stringify({ k: SECRETS[2] }), '{"k":"[hidden]"}'],
  ["a service key", `key=sk-proj-${KEY}.`, "key=[hidden]."],
  ["a service key of letters", `sk-${"a".repeat(40)}`, "[hidden]"],
  ["after an escape of JSON", String.raw`"\nsk-${KEY}"`, String.raw`"\n[hidden]"`],
  ["GitHub tokens", `ghp_${KEY} github_pat_11AA_${KEY}`, "[hidden] [hidden]"],
  ["AWS", "id AKIAABCDEFGHIJKLMNOP,", "id [hidden],"],
  ["Slack", "xoxb-123456789012-abc xoxp-1234567890", "[hidden] [hidden]"],
  ["a bearer token", `authorization: Bearer ${KEY}==`, "authorization: Bearer [hidden]"],
  [
    "a bearer token in JSON",
    `{"Authorization": "Bearer short-one"}`,
    '{"Authorization": "Bearer [hidden]"}',
  ],
  [
    "basic credentials",
    "-H 'Authorization: Basic dXNlcjpwYXNz'",
    "-H 'Authorization: Basic [hidden]'",
  ],
  ["a bearer token without its header", `Bearer ${KEY}`, "Bearer [hidden]"],
  ["a web token", `x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_D y`, "x [hidden] y"],
  ["URL credentials", "postgres://app:pa55@db/x", "postgres://app:[hidden]@db/x"],
  ["a private key", `a\n${PEM}\nb`, "a\n[hidden]\nb"],
  ["a private key in JSON", JSON.stringify({ k: PEM }), '{"k":"[hidden]"}'],
  ["a private key with line numbers", PEM.replaceAll(/^/gm, "  12\t"), "  12\t[hidden]"],
  ["a private key without its end", PEM.slice(0, 60), "[hidden]"],
])("hides %s", (_name, text, expected) => {
  expect(redact(text)).toBe(expected);
});

test.each([
  "the bearer of good news; Bearer authentication is used",
  "class sk-toggleable__content-arrow, task-list, risk-free, sk-learn",
  "https://x:${PASSWORD}@host http://localhost:3000/a@b git@github.com:a/b ssh://git@host/x",
  'if (text.includes("-----BEGIN PRIVATE KEY-----")) return; // a marker',
  "AKIA is a prefix, ghp_ too; xoxb-",
  "short",
  "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ",
])("leaves ordinary text alone: %s", (text) => {
  expect(redact(text)).toBe(text);
});

test("a secret that becomes known later is hidden from then on, and a stream that runs goes on as it began", () => {
  const own = createRedactor(["correct-horse-battery"]);
  const running = own.stream();
  own.hide(["later-secret-value", "correct-horse-battery"]);
  expect(own("a later-secret-value, correct-horse-battery")).toBe("a [hidden], [hidden]");
  const stream = own.stream();
  expect(stream.push("x later-sec") + stream.push("ret-value y") + stream.end()).toBe(
    "x [hidden] y",
  );
  expect(running.push("correct-horse-battery!") + running.end()).toBe("[hidden]!");
});

test("Base64 of a secret is hidden at every place of a longer text", () => {
  for (const before of ["", "u", "us", "use", "user:"]) {
    const encoded = Buffer.from(`${before}correct-horse-battery tail`).toString("base64");
    const text = redact(`Basic: ${encoded}`);
    expect(text).toContain("[hidden]");
    expect(Buffer.from(text, "base64").toString("latin1")).not.toMatch(/orrect|horse|batter/);
  }
});

const SERVICE_KEY = JSON.stringify(
  {
    type: "service_account",
    auth_uri: "https://accounts.example.com/o/oauth2/auth",
    private_key_id: "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
    private_key:
      "-----BEGIN NOTHING KNOWN-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7\n",
  },
  null,
  2,
);

test("a secret with several lines or gaps is hidden also when its gaps have become blanks", () => {
  const own = createRedactor([SERVICE_KEY, "two  blanks in\t\tit"]);
  expect(own(`a two blanks in it b, two  blanks in\t\tit`)).toBe("a [hidden] b, [hidden]");
  expect(own(`a ${SERVICE_KEY.replaceAll(/\s+/g, " ")} b`)).toBe("a [hidden] b");
});

test("of a secret with several lines each line that looks like a key is hidden, ordinary ones are not", () => {
  const own = createRedactor([SERVICE_KEY, "first line\nline-of-key-0123456789\n"]);
  expect(own("id 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567")).toBe("id [hidden]");
  expect(own("12: MIIEvQIBADANBgkqhkiG9w0BAQEF")).toBe("12: [hidden]");
  expect(own("x AASCBKcwggSjAgEAAoIBAQC7 y")).toBe("x [hidden] y");
  expect(own("> line-of-key-0123456789")).toBe("> [hidden]");
  const ordinary = `first line, "type": "service_account", "https://accounts.example.com/o/oauth2/auth",`;
  expect(own(ordinary)).toBe(ordinary);
  // The one that is a whole value is hidden in any case.
  expect(createRedactor(["first line"])("first line")).toBe("[hidden]");
});

const fragment = fc.oneof(
  fc.constantFrom(
    ...SECRETS,
    "correct-horse-batter",
    `sk-${KEY}`,
    `sk-proj-${KEY}`,
    "sk-abc",
    `ghp_${KEY}`,
    "gh",
    "AKIAABCDEFGHIJKLMNOP",
    `xoxb-${KEY}`,
    `Bearer ${KEY}`,
    "Bearer ",
    "authorization: ",
    '"Authorization":"Bearer ',
    "://user:",
    "postgres://app:pa55@db",
    "@",
    PEM,
    PEM.slice(0, 50),
    "-----BEGIN ",
    "-----END ",
    "-----END RSA PRIVATE KEY-----",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
    Buffer.from("correct-horse-battery").toString("base64"),
    "\\n",
    "\\",
    " ",
    "\n",
    "-",
    "_",
    "a",
    "0",
  ),
  fc.string({ maxLength: 12 }),
);
const hostile = fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join(""));

test("in pieces, cut anywhere, a text becomes what it becomes as a whole", () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
      expect(inPieces(redact, text, cuts)).toBe(redact(text));
    }),
    { numRuns: 3000 },
  );
});

test("character by character nothing of a known secret passes", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const all = Array.from({ length: text.length }, (_, index) => index);
      const shown = inPieces(redact, text, all);
      for (const secret of SECRETS.slice(0, 3)) expect(shown).not.toContain(secret);
      expect(shown).toBe(redact(text));
    }),
    { numRuns: 500 },
  );
});

test("an end that could begin a secret is kept back, other text is given at once", () => {
  const stream = redact.stream();
  expect(stream.push("Continue? [y/N] ")).toBe("Continue? [y/N] ");
  expect(stream.push("a correct-ho")).toBe("a ");
  expect(stream.push("use\n")).toBe("correct-house\n");
  expect(stream.push(`sk-${KEY}${KEY}${KEY}`) + stream.push("more-of-it and on")).toBe(
    "[hidden] and on",
  );
  expect(stream.push(" xo")).toBe(" ");
  expect(stream.end()).toBe("xo");
});

test("time grows with the length of a text, whatever stands in it", () => {
  const starts = [
    "sk-",
    "-----BEGIN ",
    "://a:",
    "eyJhbGciOi",
    "bearer ",
    "correct-",
    "authorization:",
  ];
  const longer = [...starts, PEM.slice(0, 36), "-eyJ-", "a.", "://", "\\n", "correct-horse-batter"];
  for (const start of longer) {
    const began = performance.now();
    const text = start.repeat(Math.ceil(400_000 / start.length));
    redact(text);
    const stream = redact.stream();
    for (let at = 0; at < text.length; at += 8192) stream.push(text.slice(at, at + 8192));
    stream.end();
    // Quadratic time would be minutes.
    expect(performance.now() - began, start).toBeLessThan(5000);
  }
});
