import { createHmac, timingSafeEqual } from "node:crypto";
import { ToolmountError } from "../contract/errors.ts";

/** The key that both sides of a webhook share. It signs and verifies messages as in Standard Webhooks 1.0. */
export class WebhookKey {
  readonly #key: Buffer;

  /** `secret` is `whsec_` and at least 24 bytes in base64. Throws `OPTION_INVALID` for any other text. */
  constructor(secret: string) {
    const [, text = ""] = /^whsec_([\w+/-]+=*)$/.exec(secret) ?? [];
    this.#key = Buffer.from(text, "base64");
    if (this.#key.length < 24)
      throw new ToolmountError("OPTION_INVALID", {
        option: "webhook",
        problem:
          'its secret is not whsec_ and at least 24 bytes in base64; make one: echo "whsec_$(openssl rand -base64 32)"',
      });
  }

  /** Returns the headers that sign a message of this id and body, which is sent at `now`, in milliseconds since the epoch. */
  headers(id: string, now: number, body: string): Record<string, string> {
    const seconds = String(Math.floor(now / 1_000));
    return {
      "webhook-id": id,
      "webhook-timestamp": seconds,
      "webhook-signature": this.#sign(id, seconds, body),
    };
  }

  /** Whether one of a message's signatures was made with this key. It does not check the message's age. */
  hasSigned(headers: Headers, body: string): boolean {
    const of = (name: string) => headers.get(`webhook-${name}`) ?? "";
    const expected = Buffer.from(this.#sign(of("id"), of("timestamp"), body));
    return of("signature")
      .split(" ")
      .map((one) => Buffer.from(one))
      .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  }

  #sign(id: string, seconds: string, body: string): string {
    return `v1,${createHmac("sha256", this.#key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  }
}
