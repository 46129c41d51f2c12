import { describe, expect, test } from "vitest";
import { PROVIDERS, resolveModel } from "../../src/index.ts";
import { ask, failureOf } from "../support/wires.ts";

const KEY = "key-canary-0123456789";

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Where a call would go; nothing leaves the process. */
async function sentBy(id: string, env: Record<string, string>): Promise<Sent> {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const url = new Request(input).url;
    const body = JSON.parse(init?.body as string) as Record<string, unknown>;
    sent.push({ url, headers: new Headers(init?.headers), body });
    return Promise.resolve(Response.json({ error: { message: "stop here" } }, { status: 400 }));
  };
  const model = await resolveModel(id, { env, fetch });
  await failureOf(model.generate({ messages: ask("hi") }));
  const [first] = sent;
  if (first === undefined) throw new Error("nothing was sent");
  return first;
}

describe("where each provider's calls go by default, and how they are signed", () => {
  test.each([
    ["gpt-5.1", "OPENAI_API_KEY", "https://api.openai.com/v1/responses"],
    ["openai/chat/gpt-4.1", "OPENAI_API_KEY", "https://api.openai.com/v1/chat/completions"],
    ["groq/openai/gpt-oss-120b", "GROQ_API_KEY", "https://api.groq.com/openai/v1/chat/completions"],
    [
      "mistral/mistral-large-latest",
      "MISTRAL_API_KEY",
      "https://api.mistral.ai/v1/chat/completions",
    ],
    ["deepseek/deepseek-chat", "DEEPSEEK_API_KEY", "https://api.deepseek.com/chat/completions"],
    ["xai/grok-4", "XAI_API_KEY", "https://api.x.ai/v1/chat/completions"],
    [
      "cohere/command-a-03-2025",
      "COHERE_API_KEY",
      "https://api.cohere.ai/compatibility/v1/chat/completions",
    ],
    ["together_ai/org/model", "TOGETHERAI_API_KEY", "https://api.together.xyz/v1/chat/completions"],
    [
      "fireworks_ai/llama",
      "FIREWORKS_AI_API_KEY",
      "https://api.fireworks.ai/inference/v1/chat/completions",
    ],
    ["perplexity/sonar", "PERPLEXITYAI_API_KEY", "https://api.perplexity.ai/chat/completions"],
    ["huggingface/org/model", "HF_TOKEN", "https://router.huggingface.co/v1/chat/completions"],
    [
      "nvidia_nim/meta/llama",
      "NVIDIA_NIM_API_KEY",
      "https://integrate.api.nvidia.com/v1/chat/completions",
    ],
    ["cerebras/gpt-oss-120b", "CEREBRAS_API_KEY", "https://api.cerebras.ai/v1/chat/completions"],
    ["moonshot/kimi-k2.6", "MOONSHOT_API_KEY", "https://api.moonshot.ai/v1/chat/completions"],
    ["ollama/qwen3:8b", "OLLAMA_API_KEY", "http://127.0.0.1:11434/v1/chat/completions"],
    ["ollama_chat/qwen3:8b", "OLLAMA_API_KEY", "http://127.0.0.1:11434/v1/chat/completions"],
    ["lm_studio/qwen", "LM_STUDIO_API_KEY", "http://127.0.0.1:1234/v1/chat/completions"],
    ["hosted_vllm/org/model", "HOSTED_VLLM_API_KEY", "http://127.0.0.1:8000/v1/chat/completions"],
  ])("%s", async (id, variable, url) => {
    const sent = await sentBy(id, { [variable]: KEY });
    expect(sent.url).toBe(url);
    expect(sent.headers.get("authorization")).toBe(`Bearer ${KEY}`);
  });

  test("Anthropic and Gemini sign with headers of their own", async () => {
    const anthropic = await sentBy("claude-haiku-4-5", { ANTHROPIC_API_KEY: KEY });
    expect(anthropic.url).toBe("https://api.anthropic.com/v1/messages");
    expect(anthropic.headers.get("x-api-key")).toBe(KEY);
    const token = await sentBy("claude-haiku-4-5", { ANTHROPIC_AUTH_TOKEN: KEY });
    expect(token.headers.get("authorization")).toBe(`Bearer ${KEY}`);
    expect(token.headers.get("x-api-key")).toBeNull();
    const gemini = await sentBy("gemini/gemini-2.5-flash", { GOOGLE_API_KEY: KEY });
    expect(gemini.url).toBe(
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
    );
    expect(gemini.headers.get("x-goog-api-key")).toBe(KEY);
  });

  test("Bedrock takes its host from the region", async () => {
    const env = { AWS_BEARER_TOKEN_BEDROCK: KEY, AWS_REGION: "eu-central-1" };
    const sent = await sentBy("bedrock/converse/amazon.nova-pro-v1:0", env);
    expect(sent.url).toBe(
      "https://bedrock-runtime.eu-central-1.amazonaws.com/model/amazon.nova-pro-v1%3A0/converse",
    );
  });

  test("local servers are asked without a key when there is none", async () => {
    for (const prefix of ["ollama", "lm_studio", "hosted_vllm"]) {
      expect((await sentBy(`${prefix}/m`, {})).headers.get("authorization")).toBeNull();
    }
  });

  test.each([
    [
      { AZURE_API_BASE: "https://res.openai.azure.com" },
      "https://res.openai.azure.com/openai/v1/chat/completions?api-version=v1",
    ],
    [
      { AZURE_API_BASE: "https://res.openai.azure.com/openai/v1/" },
      "https://res.openai.azure.com/openai/v1/chat/completions",
    ],
    [
      { AZURE_RESOURCE_NAME: "res" },
      "https://res.openai.azure.com/openai/v1/chat/completions?api-version=v1",
    ],
    [
      { AZURE_API_BASE: "https://res.openai.azure.com", AZURE_API_VERSION: "2024-10-21" },
      "https://res.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
    ],
  ])("Azure OpenAI with %j", async (env, url) => {
    const sent = await sentBy("azure/my-gpt", { AZURE_API_KEY: KEY, ...env });
    expect(sent.url).toBe(url);
    expect(sent.headers.get("api-key")).toBe(KEY);
  });

  test("Azure's Responses API stores nothing", async () => {
    const env = { AZURE_API_KEY: KEY, AZURE_API_BASE: "https://res.openai.azure.com" };
    const sent = await sentBy("azure/responses/my-gpt", env);
    expect(sent.url).toContain("/openai/v1/responses");
    expect(sent.body).toMatchObject({ model: "my-gpt", store: false });
  });

  test.each([
    [
      "https://res.services.ai.azure.com",
      "https://res.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview",
    ],
    [
      "https://res.services.ai.azure.com/openai/v1",
      "https://res.services.ai.azure.com/openai/v1/chat/completions",
    ],
  ])("Azure AI Foundry at %s", async (base, url) => {
    const sent = await sentBy("azure_ai/DeepSeek-V3", {
      AZURE_AI_API_KEY: KEY,
      AZURE_AI_API_BASE: base,
    });
    expect(sent.url).toBe(url);
    expect(sent.headers.get("api-key")).toBe(KEY);
    expect(sent.headers.get("authorization")).toBeNull();
  });

  test("OpenAI stores nothing, and organisation and project are passed on", async () => {
    const env = { OPENAI_API_KEY: KEY, OPENAI_ORG_ID: "org-1", OPENAI_PROJECT_ID: "proj-1" };
    const sent = await sentBy("gpt-5.1", env);
    expect(sent.body).toMatchObject({ store: false, model: "gpt-5.1" });
    expect(sent.headers.get("openai-organization")).toBe("org-1");
    expect(sent.headers.get("openai-project")).toBe("proj-1");
  });
});

describe("base URLs of one's own", () => {
  test.each([
    [
      "gpt-4.1",
      { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
      "http://127.0.0.1:9/v1/chat/completions",
    ],
    [
      "gpt-4.1",
      { OPENAI_API_BASE: "http://127.0.0.1:9" },
      "http://127.0.0.1:9/v1/chat/completions",
    ],
    [
      "gpt-4.1",
      { OPENAI_BASE_URL: "http://127.0.0.1:9/v1/chat/completions" },
      "http://127.0.0.1:9/v1/chat/completions",
    ],
    [
      "openai/responses/gpt-4.1",
      { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
      "http://127.0.0.1:9/v1/responses",
    ],
    [
      "gpt-4.1",
      { OPENAI_BASE_URL: "https://eu.api.openai.com/v1" },
      "https://eu.api.openai.com/v1/responses",
    ],
    [
      "claude-haiku-4-5",
      { ANTHROPIC_BASE_URL: "https://proxy.example/anthropic/" },
      "https://proxy.example/anthropic/v1/messages",
    ],
    [
      "claude-haiku-4-5",
      { ANTHROPIC_API_BASE: "https://api.anthropic.com" },
      "https://api.anthropic.com/v1/messages",
    ],
    [
      "gemini/gemini-2.5-pro",
      { GEMINI_API_BASE: "http://127.0.0.1:9" },
      "http://127.0.0.1:9/v1beta/models/gemini-2.5-pro:generateContent",
    ],
    [
      "ollama/m",
      { OLLAMA_API_BASE: "http://10.0.0.2:11434/" },
      "http://10.0.0.2:11434/v1/chat/completions",
    ],
    [
      "openai_compatible/m",
      { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:8080/v1" },
      "http://127.0.0.1:8080/v1/chat/completions",
    ],
  ])("%s with %j", async (id, env, url) => {
    const keys = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GEMINI_API_KEY: KEY };
    expect((await sentBy(id, { ...keys, ...env })).url).toBe(url);
  });

  test("every provider honours all of its variables", async () => {
    for (const row of PROVIDERS.filter(
      ({ driver }) => driver !== "vertex" && driver !== "openrouter",
    )) {
      for (const variable of row.baseUrlVariables) {
        const env = {
          [row.keyVariables[0] ?? ""]: KEY,
          [variable]: "http://127.0.0.1:9/proxy/v1",
        };
        const { url } = await sentBy(`${row.prefix}/m`, env);
        expect(url.startsWith("http://127.0.0.1:9/proxy/v1/"), `${variable}: ${url}`).toBe(true);
      }
    }
  });

  test("what is no address is named with its variable", async () => {
    for (const value of ["127.0.0.1:8080", "ftp://x", "http://", "not a url"]) {
      const env = { OPENAI_COMPATIBLE_BASE_URL: value };
      const failure = await failureOf(resolveModel("openai_compatible/m", { env }));
      expect(failure).toMatchObject({ code: "MODEL_FAILED", details: { kind: "bad_request" } });
      expect(String(failure)).toContain("OPENAI_COMPATIBLE_BASE_URL");
    }
    const failure = await failureOf(resolveModel("openai_compatible/m", { env: {} }));
    expect(String(failure)).toContain("OPENAI_COMPATIBLE_BASE_URL");
  });

  test("user name and password in a URL are sent as Basic where no key is, refused else, and never shown", async () => {
    const url = "http://user:pass-canary@127.0.0.1:9/v1";
    const sent = await sentBy("ollama/m", { OLLAMA_BASE_URL: url });
    expect(sent.url).toBe("http://127.0.0.1:9/v1/chat/completions");
    expect(sent.headers.get("authorization")).toBe(`Basic ${btoa("user:pass-canary")}`);
    const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url };
    const failure = await failureOf(resolveModel("gpt-4.1", { env }));
    expect(failure).toMatchObject({ details: { kind: "bad_request" } });
    expect(String(failure)).toContain("OPENAI_BASE_URL");
    expect(String(failure)).not.toContain("pass-canary");
  });
});

test.each([
  ["fireworks_ai/llama", { FIREWORKS_API_KEY: KEY }, "accounts/fireworks/models/llama"],
  ["fireworks_ai/accounts/me/models/x", { FIREWORKS_API_KEY: KEY }, "accounts/me/models/x"],
  ["huggingface/together/org/model", { HF_TOKEN: KEY }, "org/model:together"],
  ["huggingface/org/model", { HF_TOKEN: KEY }, "org/model"],
])("the name in %s becomes what the service calls it", async (id, env, name) => {
  expect((await sentBy(id, env)).body["model"]).toBe(name);
});
