import type { ModelUsage } from "@toolmount/interop";
import type { Settings } from "../config/settings.ts";

/** The number of requests, and the tokens that they used. */
export type Usage = ModelUsage;

/** A cost, which is known only if the plan has prices. */
export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

export const noUsage: Usage = Object.freeze({
  requests: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
});

/** Reads the usage of a response; a missing number is 0. */
export function readUsage(given: unknown): Usage {
  const usage = recordOf(given);
  return {
    requests: 1,
    inputTokens: numberOf(usage["input_tokens"]),
    cachedTokens: numberOf(recordOf(usage["input_tokens_details"])["cached_tokens"]),
    outputTokens: numberOf(usage["output_tokens"]),
    reasoningTokens: numberOf(recordOf(usage["output_tokens_details"])["reasoning_tokens"]),
  };
}

/** Returns the tokens that count for a budget: input and output. */
export function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

/** Returns the price of a usage; null without prices. */
export function costOf(usage: Usage, prices: Settings["prices"]): Cost | null {
  if (prices === undefined) return null;
  const { input, cachedInput = input, output, currency } = prices;
  const fresh = usage.inputTokens - usage.cachedTokens;
  const amount = (fresh * input + usage.cachedTokens * cachedInput + usage.outputTokens * output) / 1_000_000;
  return { amount, currency };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
