import type { Item } from "./items.ts";

/** Characters of one token, on average. Source: OpenAI's "What are tokens". */
const charsPerToken = 4;

/** Tokens of one image, whose base64 says little of them. Source: Anthropic's "Vision", a picture of 1.15 megapixels. */
const tokensPerImage = 1_600;

/** About how many tokens items have, for a server that did not count them. */
export function estimateTokens(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + tokensOfItem(item), 0);
}

/** About how many tokens a text has. */
export function tokensOfText(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

const known = new WeakMap<Item, number>();

function tokensOfItem(item: Item): number {
  const before = known.get(item);
  if (before !== undefined) return before;
  let images = 0;
  const text = JSON.stringify(item, (key, value: unknown) => {
    if (key !== "image_url") return value;
    images++;
    return "";
  });
  const tokens = tokensOfText(text) + images * tokensPerImage;
  known.set(item, tokens);
  return tokens;
}
