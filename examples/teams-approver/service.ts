import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";

/** What the service needs to know. */
export interface Settings {
  /** The secret of `--webhook`. */
  readonly webhookSecret: string;
  /** The address of the workflow "Post to a channel when a webhook request is received". */
  readonly workflowUrl: string;
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
      readonly decision: { readonly decision: string; readonly by: string } | null;
    };
  };
}

/** Longest time between a signature and its arrival, in seconds. */
const maxAge = 300;

/** The service: `POST /reports` for toolmount. A card for each question, and one for each decision. */
export function createService(settings: Settings): Server {
  /** Reports that were posted: a report can come twice. Keep this in a database. */
  const posted = new Set<string>();
  return createServer(async (request, response) => {
    const body = await text(request);
    if (!isFromToolmount(settings, request, body)) return response.writeHead(401).end();
    const id = String(request.headers["webhook-id"]);
    if (!posted.has(id)) await post(settings, JSON.parse(body) as Report);
    posted.add(id);
    return response.writeHead(200).end();
  });
}

async function post({ workflowUrl }: Settings, { type, data: { question, link } }: Report) {
  const { tool, prompt, arguments: given, decision } = question;
  if (type === "question.ended") return;
  const title = type === "question.asked" ? `${tool}: ${prompt}` : `${tool}: ${decisionText(decision)}`;
  const response = await fetch(workflowUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              { type: "TextBlock", text: title, weight: "bolder", wrap: true },
              { type: "TextBlock", text: JSON.stringify(given, null, 2), fontType: "monospace", wrap: true },
            ],
            actions:
              link === undefined ? [] : [{ type: "Action.OpenUrl", title: "Open the question", url: link }],
          },
        },
      ],
    }),
  });
  if (!response.ok) throw new Error(`the workflow answered with status ${response.status}`);
}

function decisionText(decision: { readonly decision: string; readonly by: string } | null): string {
  if (decision === null) return "not answered in time";
  return `${decision.decision === "approve" ? "approved" : "denied"} by ${decision.by}`;
}

/** Source: Standard Webhooks 1.0. */
function isFromToolmount({ webhookSecret }: Settings, { headers }: IncomingMessage, body: string) {
  const [id, seconds, given] = ["id", "timestamp", "signature"].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  const key = Buffer.from(webhookSecret.replace("whsec_", ""), "base64");
  const signature = `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  const isRecent = Math.abs(Date.now() / 1_000 - Number(seconds)) <= maxAge;
  return (
    isRecent &&
    given!.length === signature.length &&
    timingSafeEqual(Buffer.from(given!), Buffer.from(signature))
  );
}
