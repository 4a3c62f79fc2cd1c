import type { Item } from "./items.ts";

/** Average number of characters of a token. Source: OpenAI's "What are tokens". */
const charsPerToken = 4;

/**
 * Tokens of an image, which the length of its base64 says nothing about. Source: Anthropic's "Vision", a picture of 1.15
 * megapixels.
 */
const tokensPerImage = 1_600;

/** Average bytes and tokens of a page of a PDF. Source of the tokens: Anthropic's "PDF support". */
const bytesPerPage = 50_000;
const tokensPerPage = 3_000;

/** Estimates the tokens of items, because some servers do not count them. */
export function estimateTokens(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + tokensOfItem(item), 0);
}

export function tokensOfText(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

const known = new WeakMap<Item, number>();

function tokensOfItem(item: Item): number {
  const before = known.get(item);
  if (before !== undefined) return before;
  let media = 0;
  const text = JSON.stringify(item, (key, value: unknown) => {
    if (key === "image_url") media += tokensPerImage;
    else if (key === "file_data") media += tokensOfFile(String(value));
    else return value;
    return "";
  });
  const tokens = tokensOfText(text) + media;
  known.set(item, tokens);
  return tokens;
}

function tokensOfFile(base64: string): number {
  return Math.ceil((base64.length * 3) / 4 / bytesPerPage) * tokensPerPage;
}
