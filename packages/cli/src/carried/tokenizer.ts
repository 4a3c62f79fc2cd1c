// In its own file, which the build keeps apart: only `toolmount list cost` and the first look load it.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Returns the tokens of a text in the encoding o200k. Marks of a model's protocol in it, such as <|endoftext|>, are text. */
export function countText(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}
