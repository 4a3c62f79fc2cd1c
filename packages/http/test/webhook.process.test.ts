import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { systemClock } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { Webhook } from "../src/work/webhook.ts";

const key = Buffer.alloc(24, 7);
const secret = `whsec_${key.toString("base64")}`;
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const clock = { ...systemClock, now: () => now };

const body = '{"type":"question.asked","timestamp":"2026-01-02T03:04:05.678Z","data":{"a":"é"}}';

/** A service that answers each request so; what it gets is noted. */
async function service(status: number, headers: Record<string, string> = {}) {
  const got: { method: string | undefined; headers: object; body: string }[] = [];
  const server = createServer(async (request, response) => {
    got.push({ method: request.method, headers: request.headers, body: await text(request) });
    response.writeHead(status, headers).end("x");
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const post = (signal = new AbortController().signal) =>
    new Webhook({ url, secret }, clock).post("q.asked", body, signal);
  return { got, post };
}

test.each([200, 299])("a report is posted with its id, its time and its signature: %i", async (status) => {
  const { got, post } = await service(status);
  await post();
  const seconds = String(Math.floor(now / 1_000));
  const signature = createHmac("sha256", key).update(`q.asked.${seconds}.${body}`).digest("base64");
  expect(got).toEqual([
    {
      method: "POST",
      body,
      headers: expect.objectContaining({
        "content-type": "application/json",
        "webhook-id": "q.asked",
        "webhook-timestamp": seconds,
        "webhook-signature": `v1,${signature}`,
      }),
    },
  ]);
});

test.each([300, 404, 500])("a report that is answered with %i did not arrive", async (status) => {
  const { post } = await service(status);
  await expect(post()).rejects.toThrow(
    expect.objectContaining({ message: `the webhook answered with status ${status}` }),
  );
});

test("a report is sent to no other address, and stops with the server", async () => {
  const other = await service(200);
  const { post, got } = await service(307, { location: "http://127.0.0.1:1/other" });
  await expect(post()).rejects.toThrow(expect.objectContaining({ message: "fetch failed" }));
  expect(got).toHaveLength(1);
  const reason = new Error("the server ends");
  await expect(other.post(AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(other.got).toEqual([]);
});

const short = `whsec_${Buffer.alloc(23, 7).toString("base64")}`;
const noSecret =
  'its secret is not whsec_ and at least 24 bytes in base64; make one: echo "whsec_$(openssl rand -base64 32)"';
test.each([
  ["nowhere", secret, "nowhere is no address that begins with http:// or https://"],
  ["ftp://a.b/c", secret, "ftp://a.b/c is no address that begins with http:// or https://"],
  ["https://a.b/c", short, noSecret],
  ["https://a.b/c", secret.slice(6), noSecret],
  ["https://a.b/c", `${secret} `, noSecret],
])("the address %s with the secret %s is refused", (url, given, problem) => {
  expect(() => new Webhook({ url, secret: given }, clock)).toThrow(
    expect.objectContaining({ code: "OPTION_INVALID", details: { option: "webhook", problem } }),
  );
});

test("a secret may be written as base64 for addresses", () => {
  const url = "http://a.b";
  for (const word of [Buffer.alloc(24, 255).toString("base64url"), Buffer.alloc(25, 255).toString("base64")])
    expect(() => new Webhook({ url, secret: `whsec_${word}` }, clock)).not.toThrow();
});
