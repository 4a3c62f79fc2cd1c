import { createHmac } from "node:crypto";
import { WebhookKey } from "../../src/text/signed-webhook.ts";
import { describe, expect, test } from "vitest";

const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const key = new WebhookKey(secret);

describe("a webhook", () => {
  test("is signed as Standard Webhooks say: over its id, its seconds and its body", () => {
    const signature = createHmac("sha256", Buffer.alloc(24, 7)).update("m1.12.{}").digest("base64");

    expect(key.headers("m1", 12_999, "{}")).toEqual({
      "webhook-id": "m1",
      "webhook-timestamp": "12",
      "webhook-signature": `v1,${signature}`,
    });
  });

  test("is known by any of its signatures, and by nothing else of it that changed", () => {
    const signed = key.headers("m1", 12_000, "{}");
    const known = (more: object, body = "{}") => key.hasSigned(new Headers({ ...signed, ...more }), body);

    expect(known({})).toBe(true);
    expect(known({ "webhook-signature": `v1,AAAA ${signed["webhook-signature"]}` })).toBe(true);
    expect(known({}, "{ }")).toBe(false);
    expect(known({ "webhook-id": "m2" })).toBe(false);
    expect(known({ "webhook-timestamp": "13" })).toBe(false);
    expect(known({ "webhook-signature": "" })).toBe(false);
  });

  test.each(["", "whsec_", "secret", `whsec_${Buffer.alloc(23).toString("base64")}`, ` ${secret}`])(
    "is refused the secret %j, which is no key",
    (text) => {
      expect(() => new WebhookKey(text)).toThrow(
        expect.objectContaining({ code: "OPTION_INVALID", message: expect.stringContaining("24 bytes") }),
      );
    },
  );
});
