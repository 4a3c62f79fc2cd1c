// In a file of its own, which the build keeps apart: only `toolmount cost` loads it.
export { countTokens } from "gpt-tokenizer/encoding/o200k_base";
