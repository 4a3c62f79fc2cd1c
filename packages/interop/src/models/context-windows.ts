/**
 * Sizes of the windows of known models in tokens, by the beginning of their names; the first match counts. For other names the
 * window is not known, and the server reports a request that is too long. Sources: the model pages of the providers, November
 * 2026.
 */
const windows: readonly (readonly [RegExp, number])[] = [
  [/^gpt-5/, 272_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^(gpt-4o|chatgpt-4o|gpt-4-turbo)/, 128_000],
  [/^o[134](-|$)/, 200_000],
  [/^claude-/, 200_000],
  [/^gemini-/, 1_048_576],
  [/^grok-4/, 256_000],
  [/^mistral-(large|medium|small)/, 128_000],
];

/** Returns the window of a known model in tokens, by its name with or without a vendor; undefined for other models. */
export function knownContextTokens(model: string): number | undefined {
  const name = model.slice(model.lastIndexOf("/") + 1).replace(/^(anthropic|openai|google)\./, "");
  return windows.find(([pattern]) => pattern.test(name))?.[1];
}
