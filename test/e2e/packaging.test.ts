import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempFolder, type TempFolder } from "@acumen/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeFiles } from "../support/write-files.ts";
import { ROOT, samplesOf, serverEnvironment, TOOLS } from "./support/ace-mcp.ts";
import { npm, npmEnvironment } from "./support/npm.ts";
import { type Packed, packFromCleanCopy, SHIPPED } from "./support/packed.ts";
import { mustRun, runCommand } from "./support/run-command.ts";
import { startWireClient } from "./support/wire-client.ts";

let folder: TempFolder;
let packed: Packed;
/** Where the engine is installed alone. */
let consumer: string;
/** Where the command line is. */
let home: string;
const bin = (name: string): string => join(ROOT, "node_modules/.bin", name);

beforeAll(async () => {
  folder = await tempFolder("acumen-packaging");
  packed = await packFromCleanCopy(folder.path);
  consumer = folder.join("consumer");
  writeFiles(consumer, { "package.json": '{ "private": true, "type": "module" }\n' });
  home = folder.join("cli");
  writeFiles(home, { "package.json": '{ "private": true }\n' });
  await Promise.all([
    npm(["install", ...packed.tarballsFor("ace")], consumer),
    // It must work without the database, whose compiler takes longer than all tests here.
    npm(["install", "--omit=optional", ...packed.tarballsFor("cli")], home),
  ]);
});
afterAll(() => folder.remove());

describe.each(SHIPPED)("tarball of %s", (name) => {
  test("holds the build and its sources, no test, no build info", () => {
    const files = packed.contents.get(name) ?? [];
    expect(files).toContain("package.json");
    expect(files.filter((path) => path.startsWith("dist/") && path.endsWith(".js"))).not.toEqual(
      [],
    );
    expect(
      files.filter((path) => /(?:^|\/)(?:test|tests|node_modules)\/|tsbuildinfo/.test(path)),
    ).toEqual([]);
    const built = files.filter((path) => /^dist\/.*\.js$/.test(path));
    const sources = new Set(files);
    const orphans = built.filter(
      (path) => !sources.has(path.replace(/^dist\//, "src/").replace(/\.js$/, ".ts")),
    );
    expect(orphans).toEqual([]);
  });

  test.concurrent("passes publint", async ({ expect }) => {
    const run = await runCommand(
      bin("publint"),
      [packed.tarballsFor(name).at(-1) ?? "", "--strict"],
      {
        cwd: folder.path,
        timeoutMs: 150_000,
      },
    );
    expect(run.code, run.stdout + run.stderr).toBe(0);
  });
});

test.concurrent.each(SHIPPED)(
  "the types of %s resolve for ES module consumers (attw)",
  async (name) => {
    const run = await runCommand(
      bin("attw"),
      [packed.tarballsFor(name).at(-1) ?? "", "--profile", "esm-only", "--no-emoji", "--no-color"],
      { cwd: folder.path, timeoutMs: 150_000 },
    );
    expect(run.code, run.stdout + run.stderr).toBe(0);
  },
);

describe("@acumen/ace installed from its tarball in an empty folder", () => {
  test("brings no MCP package", () => {
    expect(existsSync(join(consumer, "node_modules/@modelcontextprotocol"))).toBe(false);
    expect(readdirSync(join(consumer, "node_modules/@acumen")).toSorted()).toEqual([
      "ace",
      "core",
      "models",
    ]);
  });

  test("learns and answers with the embedded model, saves and loads", async () => {
    writeFiles(consumer, {
      "use.js": `
        import { Ace } from "@acumen/ace";
        const samples = ${JSON.stringify(samplesOf(24))}
          .map(({ question, context, ground_truth }) => ({ question, context, groundTruth: ground_truth }));
        const ace = await Ace.fromModel("builtin/recall");
        const report = await ace.learn(samples);
        const question = "My invoice is wrong again. Which team?";
        const first = await ace.ask(question);
        await ace.save("book.json");
        const other = await Ace.fromModel("builtin/recall");
        await other.load("book.json");
        const second = await other.ask(question);
        console.log(JSON.stringify({ report: { processed: report.processed, failed: report.failed }, first, second }));
      `,
    });
    const run = await mustRun(process.execPath, ["use.js"], { cwd: consumer, timeoutMs: 60_000 });
    const { report, first, second } = JSON.parse(run.stdout) as Record<
      string,
      Record<string, unknown>
    >;
    expect(report).toEqual({ processed: 24, failed: 0 });
    expect(first?.["answer"]).toBe("billing");
    expect(second?.["answer"]).toBe("billing");
    expect(run.stderr).toBe("");
  });

  test("compiles for a TypeScript consumer who also checks our declarations", async () => {
    writeFiles(consumer, {
      "use.ts":
        'import { Ace, type Skill } from "@acumen/ace";\nimport { AcumenError } from "@acumen/core";\nconst ace: Ace = await Ace.fromModel("builtin/recall");\nexport const skills: readonly Skill[] = ace.skillbook.skills();\nexport const isOurs: boolean = AcumenError.isInstance(skills);\n',
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          module: "nodenext",
          target: "es2023",
          lib: ["es2023"],
          // What every TypeScript project for Node has.
          typeRoots: [join(ROOT, "node_modules/@types")],
          types: ["node"],
          strict: true,
          noEmit: true,
          skipLibCheck: false,
        },
        files: ["use.ts"],
      }),
    });
    const run = await runCommand(bin("tsc"), ["-p", "."], { cwd: consumer, timeoutMs: 60_000 });
    // Other people's declarations have faults of their own (an AI SDK package lacks the types that it imports).
    const ours = run.stdout
      .split("\n")
      .filter((line) => /^(?:use\.ts|node_modules\/@acumen\/|error)/.test(line));
    expect(ours).toEqual([]);
    expect(run.stderr).toBe("");
  });

  test("ace-mcp without the MCP package exits 1 with one line that names what to install", async () => {
    const run = await runCommand(join(consumer, "node_modules/.bin/ace-mcp"), [], {
      cwd: consumer,
      env: serverEnvironment(),
      timeoutMs: 60_000,
    });
    expect(run.code).toBe(1);
    expect(run.stdout).toBe("");
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(run.stderr).toContain("npm install @modelcontextprotocol/server");
  });

  test("ace-mcp serves once the package is there", async () => {
    await npm(["install", `@modelcontextprotocol/server@${sdkVersion()}`], consumer);
    await using client = startWireClient(
      { command: join(consumer, "node_modules/.bin/ace-mcp"), args: [] },
      { cwd: consumer, env: serverEnvironment({ root: consumer }) },
    );
    await serves(client);
  });

  test("the one-line npx form for hosts serves from the tarballs", async () => {
    const empty = folder.join("empty");
    writeFiles(empty, { ".keep": "" });
    const packages = [...packed.tarballsFor("ace"), `@modelcontextprotocol/server@${sdkVersion()}`];
    const args = ["--yes", ...packages.flatMap((name) => ["-p", name]), "ace-mcp"];
    await using client = startWireClient(
      { command: "npx", args },
      { cwd: empty, env: { ...npmEnvironment(), ...serverEnvironment({ root: empty }) } },
    );
    await serves(client, 120_000);
  });
});

describe("@acumen/cli installed from its tarball", () => {
  test("acumen runs the tour", async () => {
    const acumen = join(home, "node_modules/.bin/acumen");
    const help = await mustRun(acumen, ["--help"], { cwd: home, timeoutMs: 60_000 });
    expect(help.stdout).toContain("tour");
    const tour = await mustRun(acumen, ["tour"], { cwd: home, timeoutMs: 150_000 });
    expect(tour.stdout).toMatch(/\d/);
  });
});

test("no tarball holds a path of the machine that built it", () => {
  const suspects: string[] = [];
  for (const name of SHIPPED) {
    const installed = join(home, "node_modules/@acumen", name);
    if (!existsSync(installed)) continue;
    for (const path of readdirSync(installed, { recursive: true, encoding: "utf8" })) {
      const file = join(installed, path);
      if (!statSync(file).isFile()) continue;
      const text = readFileSync(file, "utf8");
      if (text.includes(ROOT) || text.includes(folder.path)) suspects.push(`${name}/${path}`);
    }
  }
  expect(suspects).toEqual([]);
});

function sdkVersion(): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, "packages/ace/package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return manifest.devDependencies["@modelcontextprotocol/server"] ?? "";
}

async function serves(
  client: ReturnType<typeof startWireClient>,
  handshakeMs = 60_000,
): Promise<void> {
  const hello = await client.request(
    "initialize",
    {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "host", version: "1.0.0" },
    },
    handshakeMs,
  );
  expect(hello.result).toHaveProperty("serverInfo");
  client.notify("notifications/initialized");
  const list = await client.request("tools/list");
  const tools = list.result?.["tools"] as { name: string }[];
  expect(tools.map((tool) => tool.name)).toEqual(TOOLS);
  const learned = await client.call("ace.learn.sample", {
    session_id: "packed",
    samples: samplesOf(12),
  });
  expect(learned.body).toMatchObject({ processed: 12, failed: 0 });
  expect(client.noise).toEqual([]);
  expect(await client.close()).toMatchObject({ code: 0 });
}
