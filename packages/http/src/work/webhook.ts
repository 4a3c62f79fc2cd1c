import { ToolmountError, type Clock } from "@toolmount/core";
import { WebhookKey } from "@toolmount/core/text";

/** Where a server reports questions and their ends. */
export interface WebhookOptions {
  /** The address to which each report is posted. */
  readonly url: string;
  /** A secret that both sides know: `whsec_` and at least 24 bytes in base64. Source: Standard Webhooks 1.0. */
  readonly secret: string;
}

/** Milliseconds in which the webhook must answer. */
const answerMs = 10_000;

/** Posts reports with a signature by Standard Webhooks 1.0, which libraries for this standard can verify. */
export class Webhook {
  readonly #url: string;
  readonly #key: WebhookKey;
  readonly #clock: Clock;

  /** Throws `OPTION_INVALID` for an invalid address or secret. */
  constructor({ url, secret }: WebhookOptions, clock: Clock) {
    const refuse = (problem: string) => new ToolmountError("OPTION_INVALID", { option: "webhook", problem });
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw refuse(`${url} is no address that begins with http:// or https://`);
    this.#key = new WebhookKey(secret);
    this.#url = url;
    this.#clock = clock;
  }

  /**
   * Posts one report. If it is posted again with the same `id`, it has the same text. Rejects unless the webhook answers with a
   * status from 200 to 299.
   */
  async post(id: string, body: string, ended: AbortSignal) {
    const response = await fetch(this.#url, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.any([ended, AbortSignal.timeout(answerMs)]),
      headers: {
        "content-type": "application/json",
        ...this.#key.headers(id, this.#clock.now(), body),
      },
      body,
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the webhook answered with status ${response.status}`);
  }
}
