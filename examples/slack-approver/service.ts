import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { text as readText } from "node:stream/consumers";

/** What the service needs to know. */
export interface Settings {
  /** The API of the host: `<address of the server>/api/v1/hosts/default`. */
  readonly hostUrl: string;
  /** A token of the server with the role approve. */
  readonly token: string;
  /** The secret of `--webhook`. */
  readonly webhookSecret: string;
  /** Slack's API: `https://slack.com/api`. */
  readonly slackUrl: string;
  readonly slackToken: string;
  /** Slack's signing secret of the app. */
  readonly signingSecret: string;
  readonly channel: string;
}

interface Report {
  readonly type: "question.asked" | "question.decided" | "question.ended";
  readonly data: {
    readonly link?: string;
    readonly question: {
      readonly id: string;
      readonly tool: string;
      readonly arguments: unknown;
      readonly prompt: string;
      readonly expiresAt: number;
      readonly decision: { readonly decision: string; readonly by: string } | null;
      readonly end?: { readonly status: string };
    };
  };
}

/** Longest time between a signature and its arrival, in seconds. */
const maxAge = 300;

/** The service: `POST /reports` for toolmount, and `POST /slack/actions` for Slack. */
export function createService(settings: Settings): Server {
  /** Where each question's message is. Keep this in a database, so that a restart can still change the messages. */
  const messages = new Map<string, string>();
  return createServer(async (request, response) => {
    const body = await readText(request);
    const isReport = request.url === "/reports";
    const isKnown = isReport
      ? isFromToolmount(settings, request, body)
      : isFromSlack(settings, request, body);
    if (!isKnown) return response.writeHead(401).end();
    if (isReport) await show(settings, messages, JSON.parse(body) as Report);
    else await decide(settings, body);
    return response.writeHead(200).end();
  });
}

/** Posts a question, and changes its message when it was decided or has ended, here or elsewhere. */
async function show(settings: Settings, messages: Map<string, string>, { type, data }: Report) {
  const { question, link } = data;
  const { id, tool, arguments: given, prompt, expiresAt, decision, end } = question;
  const ts = messages.get(id);
  const about = `*${tool}*: ${prompt}\n\`\`\`${JSON.stringify(given, null, 2)}\`\`\``;
  if (type === "question.asked") {
    if (ts !== undefined) return; // A report can come twice.
    const until = new Date(expiresAt).toUTCString();
    const buttons = [
      button("approve", id),
      button("deny", id),
      ...(link === undefined ? [] : [{ ...button("open", id), url: link }]),
    ];
    const blocks = [section(`${about}\nuntil ${until}`), { type: "actions", elements: buttons }];
    const text = `${tool} ${JSON.stringify(given)}`;
    const sent = await slack(settings, "chat.postMessage", { channel: settings.channel, text, blocks });
    messages.set(id, sent.ts);
    return;
  }
  const state =
    decision === null
      ? "not answered in time"
      : `${decision.decision === "approve" ? "approved" : "denied"} by ${decision.by}`;
  const line = end === undefined ? state : `${state}, and the call ended: ${end.status}`;
  const blocks = [section(`${about}\n${line}`)];
  if (ts !== undefined)
    await slack(settings, "chat.update", { channel: settings.channel, ts, text: line, blocks });
}

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

const labels = { approve: "Approve", deny: "Deny", open: "Open the page" };

const button = (action: keyof typeof labels, value: string) => ({
  type: "button",
  action_id: action,
  value,
  text: { type: "plain_text", text: labels[action] },
});

async function slack({ slackUrl, slackToken }: Settings, method: string, body: object) {
  const response = await fetch(`${slackUrl}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${slackToken}` },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { ok: boolean; ts: string; error?: string };
  if (!answer.ok) throw new Error(`Slack refused ${method}: ${answer.error}`);
  return answer;
}

/** A click is a decision of the person who clicked. When another one was first, the message says so. */
async function decide({ hostUrl, token }: Settings, body: string) {
  const { user, actions } = JSON.parse(new URLSearchParams(body).get("payload") ?? "") as {
    user: { username: string };
    actions: readonly { action_id: string; value: string }[];
  };
  for (const { action_id: decision, value: id } of actions) {
    if (decision === "open") continue;
    await fetch(`${hostUrl}/approvals/${encodeURIComponent(id)}/decision`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ decision, person: user.username }),
    });
  }
}

const isRecent = (seconds: string) => Math.abs(Date.now() / 1_000 - Number(seconds)) <= maxAge;

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Source: Standard Webhooks 1.0. */
function isFromToolmount({ webhookSecret }: Settings, { headers }: IncomingMessage, body: string) {
  const [id, seconds, given] = ["id", "timestamp", "signature"].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const key = Buffer.from(webhookSecret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return isRecent(seconds!) && isSame(given!, `v1,${signature}`);
}

/** Source: Slack, "Verifying requests from Slack". */
function isFromSlack({ signingSecret }: Settings, { headers }: IncomingMessage, body: string) {
  const seconds = String(headers["x-slack-request-timestamp"]);
  const signature = createHmac("sha256", signingSecret).update(`v0:${seconds}:${body}`).digest("hex");
  return isRecent(seconds) && isSame(String(headers["x-slack-signature"]), `v0=${signature}`);
}
