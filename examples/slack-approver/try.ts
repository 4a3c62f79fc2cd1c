import { createHmac, randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { json } from "node:stream/consumers";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openHost } from "@toolmount/loader";
import { createService } from "./service.ts";

const signingSecret = "the signing secret of the app";
const webhookSecret = `whsec_${randomBytes(32).toString("base64")}`;
const tokens = { bot: createToken(), bob: createToken() };

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// The chat: it keeps messages, and can change them.
interface Message {
  readonly text: string;
  readonly blocks: readonly { readonly elements?: readonly { value: string; url?: string }[] }[];
}
const shown = new EventEmitter();
const chat = createServer(async (request, response) => {
  const message = (await json(request)) as Message;
  response.end(JSON.stringify({ ok: true, ts: "1" }));
  shown.emit(request.url === "/chat.postMessage" ? "posted" : "changed", message);
});

// The service is there before the host, whose server needs its address; the host's address is known afterwards.
const settings = {
  hostUrl: "",
  token: tokens.bot,
  webhookSecret,
  slackUrl: await listen(chat),
  slackToken: "the bot's token",
  signingSecret,
  channel: "C1",
};
const service = createService(settings);
const serviceUrl = await listen(service);

const host = await openHost("mount-plan.yaml");
const server = await serveHosts({
  hosts: { default: { host } },
  authenticate: createTokenCheck([
    { name: "slack", sha256: hashToken(tokens.bot), roles: ["approve"] },
    { name: "bob", sha256: hashToken(tokens.bob), roles: ["approve"] },
  ]),
  listen: { host: "127.0.0.1", port: 0 },
  publicUrl: "https://tools.example.com",
  webhook: { url: `${serviceUrl}/reports`, secret: webhookSecret },
});
settings.hostUrl = `${server.url}/api/v1/hosts/default`;

async function click(username: string, action_id: string, value: string, key: string) {
  const body = new URLSearchParams({
    payload: JSON.stringify({ user: { username }, actions: [{ action_id, value }] }),
  }).toString();
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = `v0=${createHmac("sha256", key).update(`v0:${at}:${body}`).digest("hex")}`;
  const headers = { "x-slack-request-timestamp": at, "x-slack-signature": signature };
  return (await fetch(`${serviceUrl}/slack/actions`, { method: "POST", headers, body })).status;
}

/** A call that waits, until a person decided and the message in the chat has changed. */
async function ask(decide: (id: string) => Promise<unknown>) {
  const context = { sessionId: "s-1", userId: "ada" };
  const posted = once(shown, "posted");
  const changed = once(shown, "changed");
  const call = { name: "write_file", arguments: { file_path: "note.txt", content: "hello" } };
  const pending = await host.call(call, context);
  const [message] = (await posted) as [Message];
  const [approve, , open] = message.blocks[1]?.elements ?? [];
  console.log(
    `asked: ${message.text}, ${open?.url === `https://tools.example.com/#/inbox/${approve?.value}` ? "with a link" : ""}`,
  );
  await decide(approve!.value);
  console.log(`the message says: ${((await changed) as [Message])[0].text}`);
  const ended = once(shown, "changed");
  await host.resume(pending.ticket!, context);
  console.log(`at its end: ${((await ended) as [Message])[0].text}`);
}

await ask(async (id) => {
  console.log(`a click that Slack did not sign: ${await click("mallory", "approve", id, "wrong key")}`);
  await click("ann", "approve", id, signingSecret);
});
await ask((id) =>
  fetch(`${settings.hostUrl}/approvals/${id}/decision`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${tokens.bob}` },
    body: JSON.stringify({ decision: "deny" }),
  }),
);
await server.close();
await host.close();
service.close();
chat.close();
