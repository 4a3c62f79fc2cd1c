import { knownProviders } from "./providers.ts";

/**
 * From the last part of the name of an Amplifier module to our name of its provider, where the two differ: `provider-gemini` is
 * our `google`. Source: MODULES.md of microsoft/amplifier.
 */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["gemini", "google"],
  ["chat-completions", "openai-compatible"],
]);

/** The part of a URL that the Python clients of Amplifier's modules add themselves. */
const addedPaths: ReadonlyMap<string, string> = new Map([
  ["anthropic", "/v1"],
  ["google", "/v1beta"],
  ["ollama", "/v1"],
]);

const names: ReadonlySet<string> = new Set(["openai", ...knownProviders.map(({ name }) => name)]);

/** Returns the provider with which a model's name begins; null for a name without provider. */
export function namedProvider(model: string): string | null {
  const [prefix = ""] = model.split(":");
  return names.has(prefix) && model.length > prefix.length + 1 ? prefix : null;
}

/** Returns our name of the provider for an Amplifier module; null if we have no such provider. */
export function amplifierProviderName(module: string): string | null {
  const short = module.replace(/^amplifier-module-/, "").replace(/^provider-/, "");
  const name = otherNames.get(short) ?? short;
  return names.has(name) ? name : null;
}

/** Returns the URL of a module's server; undefined if its config has none. Amplifier's ollama module calls it `host`. */
export function amplifierServer(
  name: string,
  { base_url: url, baseUrl = url, host = baseUrl }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (typeof host !== "string" || host === "") return undefined;
  const added = addedPaths.get(name) ?? "";
  return /\/v\d\w*\/?$/.test(host) ? host : `${host.replace(/\/$/, "")}${added}`;
}
