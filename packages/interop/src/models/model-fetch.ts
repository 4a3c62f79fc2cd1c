import { boundedFetch } from "@toolmount/core/json";
import { modelError } from "./model.ts";

const megabyte = 1024 * 1024;

/** A stream has an event for each token, with some hundred bytes around it. */
const bounds = { messageBytes: 16 * megabyte, streamBytes: 64 * megabyte };

/**
 * A fetch for the client of a model. An answer that is larger than those of models, or too wide to parse, ends with
 * `PROVIDER_FAILED`. The request is not retried: the next answer would be as large.
 */
export function modelFetch(address: { readonly provider: string; readonly model: string }): typeof fetch {
  const refuse = (problem: string) =>
    modelError({
      ...address,
      kind: "stream",
      problem: `the answer cannot be read: ${problem}; set maxOutputTokens, or check the server`,
      retryable: false,
    });
  return boundedFetch<Parameters<typeof fetch>[0]>((...given) => fetch(...given), bounds, refuse);
}
