// Starts the tools and the workflow, kills the workflow while its call runs, and starts it again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openHost } from "@toolmount/loader";

const host = await openHost("mount-plan.yaml");
const token = createToken();
const server = await serveHosts({
  hosts: { default: { host } },
  authenticate: createTokenCheck([{ name: "orders", sha256: hashToken(token), roles: ["call"] }]),
  listen: { host: "127.0.0.1", port: 0 },
});

function startOrders() {
  const env = { ...process.env, TOOLMOUNT_URL: server.url, TOOLMOUNT_TOKEN: token };
  return spawn("node", ["orders.ts"], { env, stdio: ["ignore", "inherit", "inherit"] });
}

const folder = watch(".");
const first = startOrders();
while (!existsSync("paid.txt")) await once(folder, "change");
folder.close();
first.kill("SIGKILL");
await once(first, "exit");
console.log("the workflow is killed while its call runs");
await once(startOrders(), "exit");
console.log(`paid ${readFileSync("paid.txt", "utf8").trim().split("\n").length} time`);
await server.close();
await host.close();
