import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ApprovalQuestion } from "@toolmount/core";
import { Webhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { createWebhookApprover } from "../src/index.ts";

const secretOf = (letter: string) => `whsec_${Buffer.from(letter.repeat(24)).toString("base64")}`;
const secret = secretOf("a");
const now = 1_800_000_000_000;

const question = {
  approvalId: "q-1",
  digest: "d".repeat(64),
  prompt: "May it?",
  reasons: [{ source: "rule", reason: "look" }],
  options: ["approve", "deny"],
  tool: {
    name: "t",
    description: "Does it.",
    category: "write",
    consequenceLevel: "high",
    inputSchema: { type: "object" },
  },
  arguments: { n: 1 },
  place: "/plan",
  info: { runId: "r", sessionId: "s" },
  timeoutMs: 60_000,
  default: "deny",
  more: "not sent",
} as unknown as ApprovalQuestion;

interface Given {
  readonly status?: number;
  readonly body?: string;
  readonly sentAt?: number;
  readonly key?: string;
  /** The headers of the answer beside its own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks a server that gives these answers, one after the other. */
async function ask(answers: readonly (Given | "closed")[], about: ApprovalQuestion = question) {
  const requests: { method: string; url: string; type: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await text(request);
    requests.push({ method, url, type: headers["content-type"], body });
    expect([headers["webhook-id"], headers["webhook-timestamp"]]).toEqual(["q-1", String(now / 1_000)]);
    expect(headers["webhook-signature"]).toBe(new Webhook(secret).sign("q-1", new Date(now), body));
    const given = answers[requests.length - 1] ?? {};
    if (given === "closed") return request.socket.destroy();
    const { status = 200, body: answer = answered(), sentAt = now, key = secret, headers: more } = given;
    response.writeHead(status, {
      "webhook-id": "q-1",
      "webhook-timestamp": String(Math.floor(sentAt / 1_000)),
      "webhook-signature": new Webhook(key).sign("q-1", new Date(sentAt), answer),
      ...more,
    });
    return response.end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`;
  const clock = { now: () => now } as never;
  const approver = createWebhookApprover({ url, secret, pollMs: 1, clock });
  const { signal } = new AbortController();
  return { answer: approver.ask(about, { signal }), requests };
}

const answered = (fields: object = {}) =>
  JSON.stringify({ approvalId: "q-1", digest: question.digest, decision: "approve", ...fields });

test("the posted question has the facts that a person needs, and is asked again below its URL", async () => {
  const { answer, requests } = await ask([{ status: 202 }, { status: 202 }, {}]);

  expect(await answer).toEqual({ decision: "approve", by: "the approval webhook" });
  expect(requests.map(({ method, url, type }) => [method, url, type])).toEqual([
    ["POST", "/ask", "application/json"],
    ["GET", "/ask/q-1", undefined],
    ["GET", "/ask/q-1", undefined],
  ]);
  expect(requests.slice(1).map(({ body }) => body)).toEqual(["", ""]);
  expect(JSON.parse(requests[0]!.body)).toEqual({
    approvalId: "q-1",
    digest: question.digest,
    prompt: "May it?",
    reasons: [{ source: "rule", reason: "look" }],
    options: ["approve", "deny"],
    tool: { name: "t", description: "Does it.", category: "write", consequenceLevel: "high" },
    arguments: { n: 1 },
    place: "/plan",
    info: { runId: "r", sessionId: "s" },
    timeoutMs: 60_000,
    default: "deny",
  });
});

test("a question of no place has none", async () => {
  const { place: _, ...rest } = question as unknown as Record<string, unknown>;
  const { answer, requests } = await ask([{}], rest as never);
  await answer;

  expect(JSON.parse(requests[0]!.body)).not.toHaveProperty("place");
});

test("a poll that is lost is made again, and a question that is lost is not", async () => {
  const polled = await ask([{ status: 202 }, "closed", {}]);
  expect((await polled.answer).decision).toBe("approve");

  const posted = await ask(["closed"]);
  await expect(posted.answer).rejects.toThrow("fetch failed");
});

test("a person's name and reason come with the decision", async () => {
  const { answer } = await ask([{ body: answered({ decision: "deny", reason: "no", by: "ada" }) }]);

  expect(await answer).toEqual({ decision: "deny", reason: "no", by: "ada" });
});

/** A server whose secret changes signs with both for a while. */
const rotated = {
  "webhook-signature": [secretOf("b"), secret]
    .map((key) => new Webhook(key).sign("q-1", new Date(now), answered()))
    .join(" "),
};

test.each([
  "",
  "a secret of both sides",
  "whsec_",
  `whsec_${Buffer.from("a".repeat(23)).toString("base64")}`,
])("the secret %j is refused with the command that makes one", (wrong) => {
  const url = "http://127.0.0.1:1/ask";
  expect(() => createWebhookApprover({ url, secret: wrong, pollMs: 1 })).toThrow(
    /whsec_ and at least 24 bytes.*openssl/,
  );
});

describe("an answer that is not as it must be is refused with its problem", () => {
  const minutes = (count: number) => count * 60_000;
  test.each<[string, Given, string]>([
    ["an error", { status: 500 }, "the approval webhook answered 500"],
    ["another success", { status: 204, body: "" }, "the approval webhook answered 204"],
    ["another secret", { key: secretOf("b") }, "the answer of the approval webhook is not signed"],
    [
      "no time",
      { headers: { "webhook-timestamp": "soon" } },
      "the answer of the approval webhook is not signed",
    ],
    [
      "no signature",
      { headers: { "webhook-signature": "" } },
      "the answer of the approval webhook is not signed",
    ],
    ["another id", { headers: { "webhook-id": "q-2" } }, "the answer of the approval webhook is not signed"],
    ["an old one", { sentAt: now - minutes(5) - 1_000 }, "the answer of the approval webhook is too old"],
    [
      "one of the future",
      { sentAt: now + minutes(5) + 1_000 },
      "the answer of the approval webhook is too old",
    ],
    [
      "another question",
      { body: answered({ approvalId: "q-2" }) },
      "the answer of the approval webhook is about another question",
    ],
    [
      "other arguments",
      { body: answered({ digest: "e".repeat(64) }) },
      "the answer of the approval webhook is about another question",
    ],
    ["a long one", { body: answered().padEnd(65_537) }, "the answer of the approval webhook is too long"],
  ])("%s", async (_title, given, problem) => {
    const { answer } = await ask([given]);
    await expect(answer).rejects.toThrow(problem);
  });

  test.each<[string, Given]>([
    ["five minutes ago", { sentAt: now - minutes(5) }],
    ["in five minutes", { sentAt: now + minutes(5) }],
    ["with 65536 bytes", { body: answered().padEnd(65_536) }],
    ["with a long reason", { body: answered({ reason: "x".repeat(2_000) }) }],
    ["by a long name", { body: answered({ by: "x".repeat(200) }) }],
    ["with another signature before its own", { headers: rotated }],
    ["for later", { body: answered({ decision: "later" }) }],
  ])("%s is an answer", async (_title, given) => {
    const { answer } = await ask([given]);
    expect(await answer).toHaveProperty("decision");
  });

  test.each([{ decision: "yes" }, { reason: "x".repeat(2_001) }, { by: "x".repeat(201) }, { more: 1 }])(
    "%j is no answer",
    async (fields) => {
      const { answer } = await ask([{ body: answered(fields) }]);
      await expect(answer).rejects.toThrow(/decision|reason|by|more/);
    },
  );
});

test("a question that is withdrawn is polled no more", async () => {
  const server = createServer((_request, response) => void response.writeHead(202).end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`;
  const controller = new AbortController();
  const asked = createWebhookApprover({ url, secret, pollMs: 60_000 }).ask(question, {
    signal: controller.signal,
  });
  server.once("request", (_request, response) => response.on("finish", () => controller.abort()));

  await expect(asked).rejects.toThrow("aborted");
});
