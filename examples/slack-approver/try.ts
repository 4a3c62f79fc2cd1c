import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { json } from "node:stream/consumers";
import { openHost } from "@toolmount/loader";
import { createService } from "./service.ts";

const signingSecret = "the signing secret of the app";
const secret = "a secret that only the two sides know";

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// The chat: it shows a message, and a person clicks.
interface Message {
  readonly text: string;
  readonly blocks: readonly { readonly elements?: readonly { readonly value: string }[] }[];
}
const people = [["ann", "approve"] as const, ["bob", "deny"] as const];
const clicks = people.slice();
let click = async (_user: string, _action: string, _id: string, _key: string) => 0;
const chat = createServer(async (request, response) => {
  const { text, blocks } = (await json(request)) as Message;
  response.end("ok");
  const id = blocks[1]?.elements?.[0]?.value ?? "";
  const [user, action] = clicks.shift()!;
  if (action === "approve") {
    console.log(`asked: ${text}`);
    console.log(`a click that Slack did not sign: ${await click("mallory", "approve", id, "wrong key")}`);
  }
  await click(user, action, id, signingSecret);
});
const service = createService({ secret, signingSecret, slackUrl: await listen(chat) });
const url = await listen(service);

click = async (username, action_id, value, key) => {
  const body = new URLSearchParams({
    payload: JSON.stringify({ user: { username }, actions: [{ action_id, value }] }),
  }).toString();
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = `v0=${createHmac("sha256", key).update(`v0:${at}:${body}`).digest("hex")}`;
  const headers = { "x-slack-request-timestamp": at, "x-slack-signature": signature };
  return (await fetch(`${url}/slack/actions`, { method: "POST", headers, body })).status;
};

const host = await openHost("mount-plan.yaml", {
  env: { APPROVER_URL: `${url}/ask`, APPROVER_SECRET: secret },
});
for (const [user, action] of people) {
  const call = { name: "write_file", arguments: { file_path: "note.txt", content: "hello" } };
  const { status } = await host.call(call, { sessionId: "s-1", userId: "ada" });
  console.log(`${user} clicked ${action}: ${status}`);
}
await host.close();
service.close();
chat.close();
