import { knownProviders, listServerModels } from "./providers.ts";
import { askOllama } from "./server-abilities.ts";

/** A server of models that runs on this machine. */
export interface LocalServer {
  /** The provider under which a plan names its models. */
  readonly provider: string;
  readonly baseUrl: string;
  /** Names of its models; never empty. */
  readonly models: readonly string[];
}

/**
 * The servers that are searched, and the variables with which people change their addresses. Sources: the documentation of
 * Ollama and of llama.cpp.
 */
const runtimes = [
  { provider: "ollama", host: "OLLAMA_HOST", port: null },
  { provider: "llamacpp", host: "LLAMA_ARG_HOST", port: "LLAMA_ARG_PORT" },
  { provider: "lmstudio", host: null, port: null },
  { provider: "vllm", host: null, port: null },
] as const;

/** Longest wait for a server's list of models, in milliseconds. If the server does not run, the request fails at once. */
const maxWaitMs = 2_000;

/** Finds the servers of models that run on this machine and have a model, on loopback only, in a fixed order. */
export async function findLocalServers(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(
    runtimes.map(async ({ provider, host, port }): Promise<LocalServer | null> => {
      const { baseUrl = "" } = knownProviders.find(({ name }) => name === provider)!;
      const address = addressOf(baseUrl, host && env[host], port && env[port]);
      if (address === null) return null;
      const models = await listServerModels(address, { signal: AbortSignal.timeout(maxWaitMs) }).catch(
        () => [],
      );
      return models.length === 0 ? null : { provider, baseUrl: address, models };
    }),
  );
  return found.filter((server) => server !== null);
}

/** Returns the address of a server, which a variable may have changed; null if it is on another machine. */
function addressOf(
  baseUrl: string,
  host: string | null | undefined,
  port: string | null | undefined,
): string | null {
  const url = new URL(baseUrl);
  const given = host
    ? URL.parse(/^https?:\/\//.test(host) ? host : `http://${host.replace(/^:/, "127.0.0.1:")}`)
    : url;
  if (given === null) return null;
  const isHere = /^(?:127(?:\.\d+){3}|localhost|0\.0\.0\.0|\[::1?\])$/.test(given.hostname);
  if (!isHere) return null;
  url.port = port || given.port || url.port;
  return url.href;
}

/**
 * Returns the model that is used when none is named: the first one that can call tools, if the server says so, else the first.
 */
export async function chooseModel({ provider, baseUrl, models }: LocalServer): Promise<string> {
  if (provider === "ollama" && models.length > 1)
    for (const model of models) if ((await askOllama(baseUrl, model, undefined)).tools === true) return model;
  return models[0]!;
}
