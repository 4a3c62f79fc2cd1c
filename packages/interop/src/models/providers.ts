import type { ImportPackage } from "@toolmount/core";
import { modelError, type Model, type ModelPlace, type ModelProvider, type ModelRules } from "./model.ts";
import { createAiSdkModel, type AiSdkModelOptions } from "./ai-sdk-model.ts";
import { createEcho } from "./chat-echo.ts";
import { modelFetch, withOutputForms } from "./model-fetch.ts";
import {
  importProviderPackage,
  languageModelOf,
  unusable,
  type ProviderFactory,
} from "./provider-package.ts";
import { askOllama, askOpenRouter, type FindAbilities } from "./server-abilities.ts";

/** A provider that plans can name: `model: <name>:<model>`. */
export interface KnownProvider extends Pick<
  AiSdkModelOptions,
  "cacheMark" | "oneCallOptions" | "looseOutputOptions" | "callsInText"
> {
  readonly rules: ModelRules;
  readonly name: string;
  /** The package of the AI SDK. */
  readonly package: string;
  /** The package's export that makes a provider. */
  readonly create: string;
  /** The server's URL; undefined if the package knows it, or if a plan has to state it. */
  readonly baseUrl?: string;
  /** The environment variable that usually holds the key; null for a server that needs no key. */
  readonly keyVariable: string | null;
  /** Asks the server what a model can do; undefined for servers that do not say it. */
  readonly findAbilities?: FindAbilities;
}

/** The package that is included, so that local models work without an installation. */
export const compatiblePackage = "@ai-sdk/openai-compatible";

const files = ["application/pdf"];
const images = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const megabyte = 1024 * 1024;

/**
 * Rules of Chat Completions: OpenAI's server refuses longer ids, and outputs are only text. Source: the errors of that server.
 */
const chatRules: ModelRules = {
  callId: /^[\s\S]{1,40}$/,
  images,
  maxImageBytes: 20 * megabyte,
  imagesInOutputs: false,
};

/**
 * The providers that plans can name, in addition to the Responses API. Sources: each package's documentation, November 2026.
 */
export const knownProviders: readonly KnownProvider[] = [
  {
    name: "anthropic",
    package: "@ai-sdk/anthropic",
    create: "createAnthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    oneCallOptions: { anthropic: { disableParallelToolUse: true } },
    // Source: the reference of the Messages API, "Vision" and "PDF support".
    rules: {
      callId: /^[a-zA-Z0-9_-]{1,64}$/,
      images,
      files,
      maxImageBytes: 5 * megabyte,
      maxImageSide: 8_000,
      imagesInOutputs: true,
    },
  },
  {
    name: "google",
    package: "@ai-sdk/google",
    create: "createGoogleGenerativeAI",
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    // Source: "Image understanding" and "Document understanding" of the Gemini API.
    rules: {
      callId: /^[\s\S]{1,128}$/,
      images: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
      files,
      maxImageBytes: 20 * megabyte,
      imagesInOutputs: true,
    },
  },
  {
    name: "mistral",
    package: "@ai-sdk/mistral",
    create: "createMistral",
    keyVariable: "MISTRAL_API_KEY",
    oneCallOptions: { mistral: { parallelToolCalls: false } },
    // The server's error says: "Tool call id must be a-z, A-Z, 0-9, with a length of 9".
    rules: { ...chatRules, callId: /^[a-zA-Z0-9]{9}$/ },
  },
  {
    name: "groq",
    package: "@ai-sdk/groq",
    create: "createGroq",
    keyVariable: "GROQ_API_KEY",
    oneCallOptions: { groq: { parallelToolCalls: false } },
    rules: chatRules,
  },
  {
    name: "xai",
    package: "@ai-sdk/xai",
    create: "createXai",
    keyVariable: "XAI_API_KEY",
    oneCallOptions: { xai: { parallelToolCalls: false } },
    rules: chatRules,
  },
  chatServer("openai-compatible"),
  chatServer("ollama", { baseUrl: "http://127.0.0.1:11434/v1", findAbilities: askOllama }),
  chatServer("llamacpp", { baseUrl: "http://127.0.0.1:8080/v1" }),
  chatServer("lmstudio", { baseUrl: "http://127.0.0.1:1234/v1" }),
  chatServer("vllm", { baseUrl: "http://127.0.0.1:8000/v1" }),
  chatServer("openrouter", {
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    findAbilities: askOpenRouter,
    callsInText: false,
    // Source: "PDF inputs" of OpenRouter, which reads PDFs for models that cannot.
    rules: { ...chatRules, files },
  }),
];

/** Describes a server that speaks Chat Completions. The package sends options under the provider's name unchanged. */
function chatServer(name: string, own: Partial<KnownProvider> = {}): KnownProvider {
  return {
    name,
    package: compatiblePackage,
    create: "createOpenAICompatible",
    keyVariable: null,
    oneCallOptions: { [camelCase(name)]: { parallel_tool_calls: false } },
    looseOutputOptions: { [camelCase(name)]: { strictJsonSchema: false } },
    callsInText: true,
    rules: chatRules,
    ...own,
  };
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the known provider of a name, whose package `importPackage` imports; null for an unknown name. */
export function findModelProvider(name: string, importPackage: ImportPackage | null): ModelProvider | null {
  const known = knownProviders.find((candidate) => candidate.name === name);
  return known === undefined ? null : createModelProvider(known, importPackage);
}

/** Makes a provider that uses a package of the AI SDK. The package is imported when a model is opened. */
function createModelProvider(known: KnownProvider, importPackage: ImportPackage | null): ModelProvider {
  return {
    name: known.name,
    async open(model: string, place: ModelPlace): Promise<Model> {
      const baseUrl = place.baseUrl ?? known.baseUrl;
      requireSettings(known, model, { ...place, baseUrl });
      const exports = await importProvider(known, importPackage);
      const create = exports[known.create];
      const address = { provider: known.name, model };
      if (typeof create !== "function") throw unusable(known.package, `it has no ${known.create}`, address);
      const server = baseUrl === undefined ? known.name : new URL(baseUrl).host;
      const fetchModel = modelFetch({ provider: server, model });
      const provider = (create as ProviderFactory)({
        name: known.name,
        ...(baseUrl !== undefined && { baseURL: baseUrl }),
        ...(place.apiKey !== undefined && { apiKey: place.apiKey }),
        includeUsage: true,
        ...(known.package === compatiblePackage ? chatSettings(fetchModel) : { fetch: fetchModel }),
      });
      const { cacheMark, oneCallOptions, looseOutputOptions, callsInText, rules, findAbilities } = known;
      const abilities = await findAbilities?.(baseUrl!, model, place.apiKey);
      const { timeoutMs } = place;
      const keyVariable = known.keyVariable ?? undefined;
      const options = {
        provider: server,
        keyVariable,
        timeoutMs,
        cacheMark,
        oneCallOptions,
        looseOutputOptions,
        callsInText,
        abilities,
        rules,
      };
      return createAiSdkModel(languageModelOf(provider, model), options);
    },
  };
}

/** Returns settings of the package for Chat Completions, because its servers differ in what they send and accept. */
function chatSettings(fetchModel: typeof fetch) {
  return { ...createEcho(withOutputForms(fetchModel)), supportsStructuredOutputs: true };
}

function requireSettings(known: KnownProvider, model: string, { baseUrl, apiKey }: ModelPlace): void {
  const address = { provider: known.name, model };
  if (known.package === compatiblePackage && baseUrl === undefined) {
    const problem = `"${known.name}" needs baseUrl: the server's URL, such as http://127.0.0.1:8080/v1`;
    throw modelError({ ...address, kind: "configuration", problem });
  }
  if (known.keyVariable !== null && apiKey === undefined) {
    const problem = `no API key for "${known.name}": set apiKey: \${${known.keyVariable}} in the plan's agent, or the environment variable ${known.keyVariable} for a plan without one`;
    throw modelError({ ...address, kind: "configuration", problem });
  }
}

async function importProvider(
  known: KnownProvider,
  importPackage: ImportPackage | null,
): Promise<Readonly<Record<string, unknown>>> {
  if (known.package === compatiblePackage) return import("@ai-sdk/openai-compatible");
  return importProviderPackage(known.package, known.name, importPackage);
}

/** Lists the models of a server that speaks OpenAI's `/models`. Rejects when the server does not answer. */
export async function listServerModels(
  baseUrl: string,
  {
    apiKey,
    signal,
  }: { readonly apiKey?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly string[]> {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const fetchList = modelFetch({ provider: new URL(baseUrl).host, model: "" });
  const response = await fetchList(`${baseUrl.replace(/\/$/, "")}/models`, {
    headers,
    signal: signal ?? null,
  });
  if (!response.ok) throw new Error(`${baseUrl} answered with status ${response.status}`);
  const { data } = (await response.json()) as { readonly data?: readonly { readonly id?: unknown }[] };
  return (data ?? []).flatMap(({ id }) => (typeof id === "string" ? [id] : [])).toSorted();
}
