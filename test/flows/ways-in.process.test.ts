import { PassThrough } from "node:stream";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createMemoryStore, type ApprovalQuestion } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openHost } from "@toolmount/loader";
import { serveStreams } from "@toolmount/mcp";
import { expect, onTestFinished, test } from "vitest";
import { silent } from "../support/world-hosts.ts";

const folder = join(import.meta.dirname, "bill");
const given = { recipient: "GB33BUKB20201555555555", amount: 90 };
const named = ["Pay 90 to GB33 BUKB 2020 1555 5555 55, please."];

async function open(plan = "mount-plan.yaml") {
  const questions: ApprovalQuestion[] = [];
  const host = await openHost(join(folder, plan), {
    logger: silent,
    store: createMemoryStore(),
    approver: (question) => (questions.push(question), { decision: "deny" }),
  });
  onTestFinished(async () => void (await host.close()));
  return { host, questions };
}

test.each([
  ["believes no MCP client, a client's words do not count", "mount-plan.yaml", 1],
  ["believes the clients of these users, they count", "believing.yaml", 0],
])("where the plan %s", async (_, plan, asked) => {
  const { host, questions } = await open(plan);
  const [up, down] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(host, { input: up, output: down });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioServerTransport(down, up));
  onTestFinished(async () => {
    await client.close();
    await served.close();
  });
  await client.callTool({ name: "send_money", arguments: given, _meta: { "toolmount/prompts": named } });
  expect(questions).toHaveLength(asked);
});

test("C45: over HTTP the words are a member of the call", async () => {
  const { host } = await open();
  const token = createToken();
  const service = await serveHosts({
    hosts: { bank: { host } },
    authenticate: createTokenCheck([{ name: "caller", sha256: hashToken(token), roles: ["call"] }]),
    listen: { host: "127.0.0.1", port: 0 },
  });
  onTestFinished(() => service.close({ graceMs: 0 }));
  const call = async (prompts?: readonly string[]) => {
    const answer = await fetch(`${service.url}/api/v1/hosts/bank/calls`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ tool: "send_money", arguments: given, prompts }),
    });
    return (await answer.json()) as { status: string };
  };
  expect(await call(named)).toMatchObject({ status: "ok" });
  expect(await call()).toMatchObject({ status: expect.stringMatching(/denied|pending/) as string });
});
