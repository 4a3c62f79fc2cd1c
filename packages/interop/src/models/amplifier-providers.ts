import { knownProviders } from "./providers.ts";

/** By the end of a module's name: our name, where it differs. Source: MODULES.md of microsoft/amplifier. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["gemini", "google"],
  ["chat-completions", "openai-compatible"],
]);

/** The part of an URL that the Python clients of Amplifier's modules add by themselves. */
const addedPaths: ReadonlyMap<string, string> = new Map([
  ["anthropic", "/v1"],
  ["google", "/v1beta"],
  ["ollama", "/v1"],
]);

const names: ReadonlySet<string> = new Set(["openai", ...knownProviders.map(({ name }) => name)]);

/** The provider that a model's name begins with; null for a bare name. */
export function namedProvider(model: string): string | null {
  const [prefix = ""] = model.split(":");
  return names.has(prefix) && model.length > prefix.length + 1 ? prefix : null;
}

/** The name of the provider that a module of Amplifier means; null for a module without a counterpart here. */
export function amplifierProviderName(module: string): string | null {
  const short = module.replace(/^amplifier-module-/, "").replace(/^provider-/, "");
  const name = otherNames.get(short) ?? short;
  return names.has(name) ? name : null;
}

/** Amplifier's ollama module has `host` for the server's URL. */
export function amplifierServer(
  name: string,
  { base_url: url, baseUrl = url, host = baseUrl }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (typeof host !== "string" || host === "") return undefined;
  const added = addedPaths.get(name) ?? "";
  return /\/v\d\w*\/?$/.test(host) ? host : `${host.replace(/\/$/, "")}${added}`;
}
