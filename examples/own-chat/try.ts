// Starts the product, and does what its page does in a browser.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openHost } from "@toolmount/loader";
import { createProduct } from "./product.ts";

const host = await openHost("mount-plan.yaml");
const token = createToken();
const server = await serveHosts({
  hosts: { default: { host } },
  authenticate: createTokenCheck([{ name: "chat", sha256: hashToken(token), roles: ["approve"] }]),
  listen: { host: "127.0.0.1", port: 0 },
});
const product = createProduct({ host, toolmount: server.url, token }).listen(0, "127.0.0.1");
await once(product, "listening");
const url = `http://127.0.0.1:${(product.address() as AddressInfo).port}`;
if (process.argv.includes("--stay")) console.log(`open ${url}`);
else {
  const get = async (path: string) => (await fetch(url + path)).text();
  console.log((await get("/")).includes("<toolmount-question"), (await get("/elements.js")).length > 10_000);
  console.log(await (await fetch(`${url}/notes`, { method: "POST", body: "hello" })).text());
  const path = `${url}/toolmount/api/v1/hosts/default/approvals`;
  const { waiting } = (await (await fetch(path)).json()) as { waiting: { id: string; tool: string }[] };
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ decision: "approve" });
  const { status } = await fetch(`${path}/${waiting[0]!.id}/decision`, { method: "POST", headers, body });
  console.log(waiting[0]!.tool, status);
  product.closeAllConnections();
  product.close();
  await server.close();
  await host.close();
}
