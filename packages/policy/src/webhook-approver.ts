import { setTimeout as wait } from "node:timers/promises";
import {
  systemClock,
  type ApprovalAnswer,
  type ApprovalQuestion,
  type Approver,
  type Clock,
} from "@toolmount/core";
import { WebhookKey } from "@toolmount/core/text";
import { z } from "zod";

/** Options of the approver that posts its questions to a URL. */
export interface WebhookOptions {
  /** The URL to which questions are posted. The answer to a question is polled at `<url>/<approval id>`. */
  readonly url: string;
  /** `whsec_` and at least 24 bytes in base64. Both sides know it. Source: Standard Webhooks 1.0. */
  readonly secret: string;
  /** Milliseconds between two polls for an answer; default 2,000. */
  readonly pollMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const usualPollMs = 2_000;

/** Maximum age of a signed answer that is accepted, in milliseconds. */
const maxAgeMs = 300_000;

/** Longest answer that is read, in bytes. */
const maxBytes = 65_536;

/** What is needed to send a signed message to the other side of the webhook. */
type Sender = WebhookOptions & { readonly key: WebhookKey };

const answerSchema = z.strictObject({
  approvalId: z.string(),
  /** The digest of the question. An answer to another question is refused. */
  digest: z.string(),
  decision: z.enum(["approve", "deny", "later"]),
  reason: z.string().max(2_000).optional(),
  by: z.string().max(200).optional(),
});

/**
 * Creates an approver that sends a signed question, and polls for a signed answer until it arrives or the question is withdrawn.
 * Messages are signed as in Standard Webhooks 1.0, with the approval's id as their id, so the libraries of that specification
 * can sign and verify them.
 *
 * The server answers 202 before a decision, and 200 with it. Throws `OPTION_INVALID` for a secret of another form. An answer
 * that has no valid signature, is too old, or is about another question makes the approver fail, so that the call is denied.
 */
export function createWebhookApprover(options: WebhookOptions): Approver {
  const sender: Sender = { ...options, key: new WebhookKey(options.secret) };
  return {
    async ask(question, { signal }) {
      const { approvalId } = question;
      let response = await send(sender, approvalId, JSON.stringify(bodyOf(question)), signal);
      while (response.status === 202) {
        await response.body?.cancel();
        await wait(options.pollMs ?? usualPollMs, undefined, { signal });
        response = await poll(sender, question, signal);
      }
      return readAnswer(sender, question, response);
    },
  };
}

/** Polls for an answer. If the server cannot be reached for a while, it tries again, because the answer may come later. */
async function poll(
  options: Sender,
  { approvalId }: ApprovalQuestion,
  signal: AbortSignal,
): Promise<Response> {
  for (;;) {
    try {
      return await send(options, approvalId, "", signal);
    } catch (error) {
      if (signal.aborted) throw error;
      await wait(options.pollMs ?? usualPollMs, undefined, { signal });
    }
  }
}

/** Posts a question or, with an empty body, asks for the answer to it. */
function send(
  { url, key, clock = systemClock }: Sender,
  approvalId: string,
  body: string,
  signal: AbortSignal,
): Promise<Response> {
  const isQuestion = body !== "";
  return fetch(isQuestion ? url : `${url}/${approvalId}`, {
    method: isQuestion ? "POST" : "GET",
    signal,
    redirect: "error",
    headers: {
      ...(isQuestion && { "content-type": "application/json" }),
      ...key.headers(approvalId, clock.now(), body),
    },
    ...(isQuestion && { body }),
  });
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
  { key, clock = systemClock }: Sender,
  question: ApprovalQuestion,
  { status, headers, body: given }: Response,
): Promise<ApprovalAnswer> {
  if (status !== 200) throw new Error(`the approval webhook answered ${status}`);
  const body = await readBody(given);
  if (!key.hasSigned(headers, body)) throw new Error("the answer of the approval webhook is not signed");
  const age = clock.now() - Number(headers.get("webhook-timestamp")) * 1_000;
  if (!(Math.abs(age) <= maxAgeMs)) throw new Error("the answer of the approval webhook is too old");
  const { approvalId, digest, decision, reason, by } = answerSchema.parse(JSON.parse(body));
  if (
    headers.get("webhook-id") !== approvalId ||
    approvalId !== question.approvalId ||
    digest !== question.digest
  )
    throw new Error("the answer of the approval webhook is about another question");
  return { decision, reason, by: by ?? "the approval webhook" };
}

async function readBody(body: Response["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error("the answer of the approval webhook is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
