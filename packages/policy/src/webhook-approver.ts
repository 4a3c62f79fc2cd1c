import { createHmac, timingSafeEqual } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import {
  systemClock,
  type ApprovalAnswer,
  type ApprovalQuestion,
  type Approver,
  type Clock,
} from "@toolmount/core";
import { z } from "zod";

/** Options of the approver that posts its questions to a URL. */
export interface WebhookOptions {
  /** Questions are posted here; the answer to one is polled at `<url>/<approval id>`. */
  readonly url: string;
  /** At least 16 characters, known to both sides. */
  readonly secret: string;
  readonly pollMs: number;
  readonly clock?: Clock | undefined;
}

/** How old a signed answer may be. */
const maxAgeMs = 300_000;

/** Longest answer that is read, in bytes. */
const maxBytes = 65_536;

const answerSchema = z.strictObject({
  approvalId: z.string(),
  /** Digest of the question; an answer to another question is refused. */
  digest: z.string(),
  decision: z.enum(["approve", "deny", "later"]),
  reason: z.string().max(2_000).optional(),
  by: z.string().max(200).optional(),
});

/**
 * Sends a signed question, and polls for a signed answer until it arrives or the question is withdrawn.
 *
 * The server answers 202 before a decision, and 200 with it. An answer without a valid signature, too old, or about another
 * question makes the approver fail, and the call is denied.
 */
export function createWebhookApprover(options: WebhookOptions): Approver {
  return {
    async ask(question, { signal }) {
      let response = await send(options, "POST", options.url, JSON.stringify(bodyOf(question)), signal);
      while (response.status === 202) {
        await response.body?.cancel();
        await wait(options.pollMs, undefined, { signal });
        response = await poll(options, question, signal);
      }
      return readAnswer(options, question, response);
    },
  };
}

/** A server that cannot be reached for a while may still have the answer later. */
async function poll(
  options: WebhookOptions,
  { approvalId }: ApprovalQuestion,
  signal: AbortSignal,
): Promise<Response> {
  for (;;) {
    try {
      return await send(options, "GET", `${options.url}/${approvalId}`, "", signal);
    } catch (error) {
      if (signal.aborted) throw error;
      await wait(options.pollMs, undefined, { signal });
    }
  }
}

function send(
  options: WebhookOptions,
  method: string,
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<Response> {
  const sentAt = String((options.clock ?? systemClock).now());
  const path = new URL(url).pathname;
  return fetch(url, {
    method,
    signal,
    redirect: "error",
    headers: {
      ...(body === "" ? {} : { "content-type": "application/json" }),
      "x-toolmount-timestamp": sentAt,
      "x-toolmount-signature": signWebhook(options.secret, sentAt, `${method} ${path}`, body),
    },
    ...(body === "" ? {} : { body }),
  });
}

/** The signature of a message: HMAC-SHA256 over its time, what it is about and its body, in hex. */
export function signWebhook(secret: string, sentAt: string, about: string, body: string): string {
  return createHmac("sha256", secret).update(`${sentAt}\n${about}\n${body}`).digest("hex");
}

function bodyOf({
  approvalId,
  tool,
  info,
  arguments: given,
  prompt,
  place,
  reasons,
  digest,
  options,
  ...rest
}: ApprovalQuestion) {
  const { name, description, category, consequenceLevel } = tool;
  return {
    approvalId,
    digest,
    prompt,
    reasons,
    options,
    tool: { name, description, category, consequenceLevel },
    arguments: given,
    ...(place && { place }),
    info,
    timeoutMs: rest.timeoutMs,
    default: rest.default,
  };
}

async function readAnswer(
  options: WebhookOptions,
  question: ApprovalQuestion,
  response: Response,
): Promise<ApprovalAnswer> {
  if (response.status !== 200) throw new Error(`the approval webhook answered ${response.status}`);
  const body = await readBody(response);
  const sentAt = response.headers.get("x-toolmount-timestamp") ?? "";
  const signature = response.headers.get("x-toolmount-signature") ?? "";
  const expected = signWebhook(options.secret, sentAt, `ANSWER ${question.approvalId}`, body);
  if (!isEqual(signature, expected)) throw new Error("the answer of the approval webhook is not signed");
  const age = (options.clock ?? systemClock).now() - Number(sentAt);
  if (!(Math.abs(age) <= maxAgeMs)) throw new Error("the answer of the approval webhook is too old");
  const { approvalId, digest, decision, reason, by } = answerSchema.parse(JSON.parse(body));
  if (approvalId !== question.approvalId || digest !== question.digest)
    throw new Error("the answer of the approval webhook is about another question");
  return { decision, reason, by: by ?? "the approval webhook" };
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error("the answer of the approval webhook is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isEqual(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
