import type { ProviderRequest } from "@toolmount/testing/providers";

/** Why a server refuses a request. */
export interface Reason {
  readonly name: string;
  readonly status: number;
  readonly message: string;
  readonly code?: string;
  readonly details?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * What the server refuses from now on, by the request that it refuses now; null for a request without it, which is not refused for
   * this reason. Default: the server refuses only this request.
   */
  readonly lasting?: (text: string, answered: number) => ((text: string) => boolean) | null;
  /** A person has to act, so the turn fails. */
  readonly isForPeople?: boolean;
}

/** Refuses what has any of the texts that a pattern finds in the request of now. */
const has = (pattern: RegExp) => (text: string) => {
  const found = [...new Set(text.match(pattern))];
  return found.length === 0 ? null : (later: string) => found.some((one) => later.includes(one));
};

/** Refuses all that the pattern finds, also in what comes later. */
const any = (pattern: RegExp) => (text: string) =>
  pattern.test(text) ? (one: string) => pattern.test(one) : null;

/** Refuses requests that are about as long. */
const long = (text: string) =>
  text.length < 60_000 ? null : (later: string) => later.length > text.length * 0.7;

/** Refuses without a word what is longer than all that was answered. */
const longest = (text: string, answered: number) =>
  text.length > Math.max(60_000, answered) ? (later: string) => later.length > answered : null;

const perMinute = {
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }],
};

/** Images of the test's tool, the signatures and the ids of its models, and the keyword of its schema. */
const images = /iVBORw0KGgo[A-Za-z0-9+/]{40,}/g;
const signatures = /SIGNATURE_\d+/g;
const longIds = /"call_of_the_model_\d+"/;
const keyword = /"exclusiveMinimum"/;

/** Twenty reasons. Sources: the errors of OpenAI, Anthropic, Gemini, Mistral, OpenRouter, GitHub Copilot and Bedrock. */
export const reasons: readonly Reason[] = [
  { name: "a limit with a header", status: 429, message: "slow down", headers: { "retry-after-ms": "2" } },
  { name: "a limit in words", status: 429, message: "Rate limit reached. Please try again in 2ms." },
  { name: "a limit of tokens", status: 429, message: "Too many tokens, please wait before trying again." },
  {
    name: "a limit for a minute",
    status: 429,
    message: "You exceeded your current quota, please check your plan and billing details.",
    details: [perMinute, { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.002s" }],
  },
  { name: "an error of the server", status: 500, message: "internal error" },
  { name: "a gateway", status: 502, message: "bad gateway" },
  { name: "an overload", status: 529, message: "Overloaded", code: "overloaded_error" },
  { name: "a timeout", status: 408, message: "timeout" },
  {
    name: "an overflow",
    status: 400,
    message: "prompt token count of 136000 exceeds the limit of 128000",
    lasting: long,
  },
  { name: "an overflow without words", status: 413, message: "Payload Too Large", lasting: long },
  { name: "no reason at all", status: 400, message: "Bad Request", lasting: longest },
  { name: "an image", status: 400, message: "Could not process image", lasting: has(images) },
  {
    name: "all images",
    status: 400,
    message: "This model does not support image input",
    lasting: any(images),
  },
  {
    name: "a signature",
    status: 400,
    message: "messages.3.content.0: Invalid `signature` in `thinking` block",
    lasting: has(signatures),
  },
  {
    name: "sealed reasoning",
    status: 400,
    message: "The encrypted content for item rs_1 could not be verified.",
    code: "invalid_encrypted_content",
    lasting: has(signatures),
  },
  {
    name: "a keyword of a schema",
    status: 400,
    message: "Invalid schema for function 'note': 'exclusiveMinimum' is not permitted.",
    code: "invalid_function_parameters",
    lasting: any(keyword),
  },
  {
    name: "the id of a call",
    status: 400,
    message: "Tool call id was call_of_the_model_1 but must be a-z, A-Z, 0-9, with a length of 9.",
    lasting: any(longIds),
  },
  { name: "a key", status: 401, message: "invalid key", isForPeople: true },
  { name: "an empty account", status: 402, message: "Insufficient credits", isForPeople: true },
  { name: "a filter", status: 400, message: "blocked", code: "content_filter", isForPeople: true },
];

/** Refuses each tenth request for one of the reasons, and later what a reason lasts for. */
export function createRefuser(draw: (below: number) => number) {
  const lasting: { readonly reason: Reason; readonly refuses: (text: string) => boolean }[] = [];
  const given: Reason[] = [];
  let answered = 0;
  return {
    /** The reason of each refusal so far. */
    given,
    refuse(at: number, request: ProviderRequest): Reason | null {
      const text = JSON.stringify(request);
      const still = lasting.find(({ refuses }) => refuses(text))?.reason;
      const possible = reasons.filter(
        (one) => one.lasting === undefined || one.lasting(text, answered) !== null,
      );
      const reason = still ?? ((at + 1) % 10 === 0 ? possible[draw(possible.length)]! : null);
      if (reason === null) answered = Math.max(answered, text.length);
      if (reason === null) return null;
      const refuses = still === undefined ? reason.lasting?.(text, answered) : undefined;
      if (refuses) lasting.push({ reason, refuses });
      given.push(reason);
      return reason;
    },
  };
}

/** The answer of a server that refuses a request. */
export function refusalOf({ status, message, code, details, headers }: Reason) {
  const error = {
    message,
    type: "invalid_request_error",
    code: code ?? null,
    status: "REFUSED",
    ...(details && { details }),
  };
  return { status, body: { type: "error", error }, ...(headers && { headers }) };
}
