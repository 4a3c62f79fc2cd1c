// The build keeps this file apart from the others, because only `toolmount list cost` and the opening view of `toolmount` load
// its large dependency.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Counts the tokens of a text in the encoding o200k. A model's special tokens in it, such as <|endoftext|>, count as text. */
export function countText(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}
