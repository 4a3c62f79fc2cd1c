import { createHmac, timingSafeEqual } from "node:crypto";

/** The form of a secret that both sides of a webhook have. Source: Standard Webhooks 1.0. */
export const webhookSecretForm =
  'whsec_ and at least 24 bytes in base64; make one: echo "whsec_$(openssl rand -base64 32)"';

/** The key of a webhook's secret; null for a text of another form. */
export function webhookKey(secret: string): Buffer | null {
  const [, text = ""] = /^whsec_([\w+/-]+=*)$/.exec(secret) ?? [];
  const key = Buffer.from(text, "base64");
  return key.length < 24 ? null : key;
}

/** The headers that sign a message of this id and body, which is sent at `now`, in milliseconds since the epoch. */
export function signedHeaders(key: Buffer, id: string, now: number, body: string): Record<string, string> {
  const seconds = String(Math.floor(now / 1_000));
  return {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signatureOf(key, id, seconds, body)}`,
  };
}

/** Whether one of a message's signatures is of this key. It says nothing of the message's age. */
export function isSignedWith(key: Buffer, headers: Headers, body: string): boolean {
  const [id = "", seconds = "", given = ""] = ["id", "timestamp", "signature"].map(
    (name) => headers.get(`webhook-${name}`) ?? "",
  );
  const expected = Buffer.from(`v1,${signatureOf(key, id, seconds, body)}`);
  return given.split(" ").some((one) => {
    const signature = Buffer.from(one);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

function signatureOf(key: Buffer, id: string, seconds: string, body: string): string {
  return createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
}
