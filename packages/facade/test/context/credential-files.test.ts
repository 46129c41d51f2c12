import { mkdir, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ValidationError } from "../../src/errors/domain-error.ts";
import { gitProject } from "../support/git-project.ts";
import { contextBench, droppedOf, filesOf } from "./support.ts";

const WORD = "the-word-that-lets-one-in";

const SECRETS = [
  ".env",
  ".env.production",
  "prod.env",
  ".npmrc",
  "packages/a/.NPMRC",
  ".netrc",
  "_netrc",
  ".pypirc",
  ".pgpass",
  ".git-credentials",
  ".htpasswd",
  "id_rsa",
  "id_ed25519",
  "tls/server.key",
  "tls/server.pem",
  "credentials.json",
  "credentials",
  "config/secrets.yml",
  "service-account.json",
  "my-service_account-1.json",
  "shop-firebase-adminsdk-x1.json",
  "client_secret_12.json",
  ".aws/config",
  ".ssh/config",
  ".kube/config",
  ".docker/config.json",
  ".config/gcloud/any.txt",
  "infra/terraform.tfstate",
  "infra/prod.tfvars",
];

const SHOWN = {
  "src/credentials.ts": "export class Credentials {}\n",
  "src/secrets.ts": "export class Secrets {}\n",
  ".env.example": "KEY=\n",
  ".npmrc.example": "registry=\n",
  ".docker/Dockerfile": "FROM scratch\n",
  "gcloud/readme.md": "How to deploy.\n",
  "service-account.md": "How to make one.\n",
  "environment.md": "About environments.\n",
};

test("what lets one in somewhere is left out, although git tracks it", async () => {
  const secrets = Object.fromEntries(SECRETS.map((path) => [path, `${WORD} of ${path}\n`]));
  await using project = await gitProject({ ...secrets, ...SHOWN });
  await using bench = await contextBench({}, { project: project.path });
  const context = await bench.ask({ budget_tokens: 100_000, query: WORD });
  const plain = await bench.ask({ budget_tokens: 100_000 });
  for (const each of [context, plain]) {
    expect(JSON.stringify(each)).not.toContain(`${WORD} of`);
    expect(droppedOf(each)).toEqual(Object.fromEntries(SECRETS.map((path) => [path, "denied"])));
  }
  expect(Object.keys(filesOf(plain))).toEqual(expect.arrayContaining(Object.keys(SHOWN)));
});

test.each(SECRETS)("%s is refused to whoever pins it, with its reason", async (path) => {
  await using bench = await contextBench({ [path]: WORD });
  const asked = bench.ask({ pinned: [path] });
  await expect(asked).rejects.toThrow(ValidationError);
  await expect(asked).rejects.toThrow(/may not be read.*: it .*\(rule|rule "/);
  await expect(asked).rejects.not.toThrow(WORD);
});

test("a link of another name leads to no secret, and one of such a name to nothing", async () => {
  await using bench = await contextBench({ ".npmrc": WORD, "a.txt": "text" });
  await mkdir(bench.folder.join("shop/b"));
  await symlink("../.npmrc", bench.folder.join("shop/b/plain.txt"));
  await symlink("../a.txt", bench.folder.join("shop/b/credentials.json"));
  const context = await bench.ask();
  expect(JSON.stringify(context)).not.toContain(WORD);
  expect(droppedOf(context)).toEqual({
    ".npmrc": "denied",
    "b/plain.txt": "denied",
    "b/credentials.json": "denied",
  });
  await expect(bench.ask({ pinned: ["b/plain.txt"] })).rejects.toThrow(ValidationError);
});

test("a key of a service account is known by what it is, whatever its name", async () => {
  const key = { type: "service_account", private_key: `-----BEGIN PRIVATE KEY-----\n${WORD}\n` };
  await using bench = await contextBench({ "deploy.json": JSON.stringify(key, null, 2) });
  await writeFile(bench.folder.join("shop/package.json"), '{"type": "module"}');
  const context = await bench.ask();
  expect(droppedOf(context)).toEqual({ "deploy.json": "denied" });
  expect(filesOf(context)).toEqual({ "package.json": "full" });
});
