import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";

/** What the service needs to know. */
export interface Settings {
  /** The secret of `policy.approver.webhook` in the plan. */
  readonly secret: string;
  /** Slack's signing secret of the app. */
  readonly signingSecret: string;
  /** The incoming webhook of a channel. */
  readonly slackUrl: string;
}

interface Question {
  readonly approvalId: string;
  readonly digest: string;
  readonly prompt: string;
  readonly tool: { readonly name: string };
  readonly arguments: unknown;
}

interface Answer {
  readonly decision: "approve" | "deny";
  readonly by: string;
}

/** Longest time between a signature and its arrival, in milliseconds. */
const maxAgeMs = 300_000;

const sign = (secret: string, message: string) => createHmac("sha256", secret).update(message).digest("hex");

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

const isRecent = (ms: number) => Math.abs(Date.now() - ms) <= maxAgeMs;

/** The service: `POST /ask`, `GET /ask/<id>` for toolmount, and `POST /slack/actions` for Slack. */
export function createService(settings: Settings): Server {
  const waiting = new Map<string, { question: Question; answer?: Answer }>();
  return createServer(async (request, response) => {
    const body = await text(request);
    const path = request.url ?? "/";
    const reply = (status: number, value?: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, headers).end(value);

    if (path === "/slack/actions") {
      if (!isFromSlack(settings, request, body)) return reply(401);
      const { user, actions } = JSON.parse(new URLSearchParams(body).get("payload") ?? "") as {
        user: { username: string };
        actions: readonly { action_id: "approve" | "deny"; value: string }[];
      };
      for (const { action_id: decision, value } of actions) {
        const entry = waiting.get(value);
        // The first click counts.
        if (entry !== undefined) entry.answer ??= { decision, by: user.username };
      }
      return reply(200);
    }

    if (!isFromToolmount(settings, request, path, body)) return reply(401);
    if (request.method === "POST") {
      const question = JSON.parse(body) as Question;
      waiting.set(question.approvalId, { question });
      await post(settings, question);
      return reply(202);
    }
    const id = path.split("/").at(-1) ?? "";
    const entry = waiting.get(id);
    if (entry === undefined) return reply(404);
    if (entry.answer === undefined) return reply(202);
    const answer = JSON.stringify({ approvalId: id, digest: entry.question.digest, ...entry.answer });
    const at = String(Date.now());
    return reply(200, answer, {
      "x-toolmount-timestamp": at,
      "x-toolmount-signature": sign(settings.secret, `${at}\nANSWER ${id}\n${answer}`),
    });
  });
}

/** Posts the question with two buttons, whose value is the approval's id. */
async function post({ slackUrl }: Settings, { approvalId, prompt, tool, arguments: given }: Question) {
  const button = (action: string, label: string) => ({
    type: "button",
    action_id: action,
    value: approvalId,
    text: { type: "plain_text", text: label },
  });
  const details = "```" + JSON.stringify(given, null, 2) + "```";
  await fetch(slackUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      text: `${tool.name} ${JSON.stringify(given)}`,
      blocks: [
        { type: "section", text: { type: "mrkdwn", text: `*${tool.name}*: ${prompt}\n${details}` } },
        { type: "actions", elements: [button("approve", "Approve"), button("deny", "Deny")] },
      ],
    }),
  });
}

/** Source: docs/approvals.md, "Who is asked". */
function isFromToolmount({ secret }: Settings, request: IncomingMessage, path: string, body: string) {
  const at = String(request.headers["x-toolmount-timestamp"]);
  const given = String(request.headers["x-toolmount-signature"]);
  return isRecent(Number(at)) && isSame(given, sign(secret, `${at}\n${request.method} ${path}\n${body}`));
}

/** Source: Slack, "Verifying requests from Slack". */
function isFromSlack({ signingSecret }: Settings, request: IncomingMessage, body: string) {
  const at = String(request.headers["x-slack-request-timestamp"]);
  const given = String(request.headers["x-slack-signature"]);
  return isRecent(Number(at) * 1_000) && isSame(given, `v0=${sign(signingSecret, `v0:${at}:${body}`)}`);
}
