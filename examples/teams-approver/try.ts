import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { json } from "node:stream/consumers";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openHost } from "@toolmount/loader";
import { createService } from "./service.ts";

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// The workflow of Teams: it takes cards.
interface Card {
  readonly body: readonly { readonly text: string }[];
  readonly actions: readonly { readonly url: string }[];
}
const shown = new EventEmitter();
const workflow = createServer(async (request, response) => {
  const { attachments } = (await json(request)) as { attachments: [{ content: Card }] };
  response.writeHead(202).end();
  shown.emit("card", attachments[0].content);
});

const webhookSecret = `whsec_${randomBytes(32).toString("base64")}`;
const service = createService({ webhookSecret, workflowUrl: await listen(workflow) });
const serviceUrl = await listen(service);
const token = createToken();
const host = await openHost("mount-plan.yaml");
const server = await serveHosts({
  hosts: { default: { host } },
  authenticate: createTokenCheck([{ name: "bob", sha256: hashToken(token), roles: ["approve"] }]),
  listen: { host: "127.0.0.1", port: 0 },
  publicUrl: "https://tools.example.com",
  webhook: { url: `${serviceUrl}/reports`, secret: webhookSecret },
});

const asked = once(shown, "card");
const pending = await host.call(
  { name: "write_file", arguments: { file_path: "note.txt", content: "hello" } },
  { sessionId: "s-1", userId: "ada" },
);
const [question] = (await asked) as [Card];
const [link] = question.actions.map(({ url }) => new URL(url));
console.log(`asked: ${question.body[0]!.text.split(":")[0]}, opens ${link!.origin}`);

// Bob follows the link, is signed in, and presses Approve.
const id = link!.hash.split("/").at(-1)!;
const decided = once(shown, "card");
await fetch(`${server.url}/api/v1/hosts/default/approvals/${id}/decision`, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
  body: JSON.stringify({ decision: "approve" }),
});
const [answer] = (await decided) as [Card];
console.log(`the channel says: ${answer.body[0]!.text}`);
const { status } = await host.resume(pending.ticket!, { sessionId: "s-1", userId: "ada" });
console.log(`the call: ${status}`);

await server.close();
await host.close();
service.close();
workflow.close();
