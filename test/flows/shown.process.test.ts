import { hash } from "node:crypto";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createHost, createMemoryStore, data, defineTool, type ApprovalQuestion } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { openHost } from "@toolmount/loader";
import { readPage } from "@toolmount/page";
import { serveStreams } from "@toolmount/mcp";
import { config, mount } from "@toolmount/policy";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { startBrowser } from "../../packages/page/test/support/browser.ts";
import { live, openPage } from "../../packages/page/test/support/page.ts";
import { commandFile, nodeFlags } from "../support/program.ts";
import { shellAtTerminal } from "../support/shell-terminal.ts";
import { silent } from "../support/world-hosts.ts";

const folder = join(import.meta.dirname, "bill");
const given = { recipient: "GB33BUKB20201555555555", amount: 90 };
const found = "recipient GB33BUKB20201555555555 · from read_mail (call 1), 0.body, line 2";

/** A folder with the plan, gone after the test. */
async function copyPlan() {
  const copy = await mkdtemp(join(tmpdir(), "toolmount-flows-"));
  onTestFinished(() => rm(copy, { recursive: true }));
  await cp(folder, copy, { recursive: true });
  await symlink(join(import.meta.dirname, "../node_modules"), join(copy, "node_modules"));
  return copy;
}

/** A terminal wraps its lines anywhere. */
const unwrapped = (text: string) => text.replaceAll(/\s/g, "");

test("the question at the terminal, the list of approvals and the audit show the origin", async () => {
  const copy = await copyPlan();
  const shell = await shellAtTerminal(copy, { PATH: process.env["PATH"] ?? "", HOME: copy });
  const toolmount = (words: string) =>
    `${process.execPath} ${nodeFlags.join(" ")} ${commandFile} ${words} --env kept`;
  await shell.run(toolmount("call mount-plan.yaml read_mail '{}' --session s"));

  const call = toolmount(`call mount-plan.yaml send_money '${JSON.stringify(given)}' --session s`);
  const asked = await shell.run(`${call} || true`, async () => {
    await shell.answer("send_money", "l");
  });
  expect(unwrapped(asked)).toContain(unwrapped(found));
  expect(unwrapped(await shell.run(toolmount("approvals list mount-plan.yaml")))).toContain(unwrapped(found));
  const audit = unwrapped(await shell.run(toolmount("audit mount-plan.yaml --json")));
  expect(audit).toContain('"origin":"untrusted"');
  expect(audit).toContain('"path":".0.body"');
});

test("a form of an MCP client shows the origin", async () => {
  const host = await openHost(join(folder, "believing.yaml"), { logger: silent, store: createMemoryStore() });
  onTestFinished(async () => void (await host.close()));
  const [up, down] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(host, { input: up, output: down, approvals: { elicitation: true } });
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } } },
  );
  const messages: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    messages.push(params.message);
    return { action: "decline" };
  });
  await client.connect(new StdioServerTransport(down, up));
  onTestFinished(async () => {
    await client.close();
    await served.close();
  });
  const meta = { "toolmount/prompts": ["Pay the bill from my mail."] };
  await client.callTool({ name: "read_mail", arguments: {}, _meta: meta });
  await client.callTool({ name: "send_money", arguments: given, _meta: meta });
  expect(messages).toEqual([expect.stringContaining(`${found} · you never wrote it`)]);
});

test("the card of a question on the operator's page shows the origin", async () => {
  const host = await openHost(join(folder, "mount-plan.yaml"), {
    logger: silent,
    store: createMemoryStore(),
  });
  const token = createToken();
  const service = await serveHosts({
    hosts: { bank: { host } },
    authenticate: createTokenCheck([
      { name: "operator", sha256: hashToken(token), roles: ["call", "approve"] },
    ]),
    listen: { host: "127.0.0.1", port: 0 },
    page: await readPage(),
  });
  const browser = await startBrowser();
  onTestFinished(async () => {
    await browser.close();
    await service.close({ graceMs: 0 });
    await host.close();
  });
  const { page } = await openPage(browser, service.url, token);
  await live(page);
  const context = { sessionId: "s", prompts: ["Pay the bill from my mail."] };
  await host.call({ name: "read_mail" }, context);
  await host.call({ name: "send_money", arguments: given }, context);
  const [, where] = found.split(" · ");
  const shown = page.getByRole("article").getByText(`${where} · you never wrote it`).first();
  await shown.waitFor();
  expect(await shown.isVisible()).toBe(true);
});

const secret = "correct-horse-battery-staple";

test("a secret's origin is shown, stored and audited as a digest only", async () => {
  const memory = createMemoryStore({ audit: "durable" });
  // The result that has the secret is the tool's own text; without results the audit has the origin alone.
  const store = { ...memory, audit: { ...memory.audit!, keepsResults: false } };
  const questions: ApprovalQuestion[] = [];
  const host = createHost({ store, approver: (one) => (questions.push(one), { decision: "approve" }) });
  const common = { category: "side_effect", consequenceLevel: "low", requiresConfirmation: false } as const;
  const read = defineTool({
    ...common,
    name: "read_note",
    description: "Reads a note. Use in tests.",
    schema: z.strictObject({}),
    execute: () => data({ text: `Sign in with ${secret} today` }),
  });
  const signIn = defineTool({
    ...common,
    name: "sign_in",
    description: "Signs in. Use in tests.",
    schema: z.strictObject({ account: z.strictObject({ password: z.string() }) }),
    control: ["account"],
    execute: () => data("signed in"),
  });
  host.coordinator.mount("tools", read);
  host.coordinator.mount("tools", signIn);
  await mount(host.coordinator, config.parse({ flows: "on" }));
  const context = { sessionId: "s", prompts: ["Sign me in."] };
  const call = { name: "sign_in", arguments: { account: { password: secret } } };
  await host.call({ name: "read_note" }, context);
  await host.call(call, context);

  const digest = `sha256 ${hash("sha256", secret).slice(0, 12)}`;
  const [{ reasons } = { reasons: [] }] = questions;
  expect(reasons[0]!.reason).toContain(`account.password ${digest} · from read_note (call 1), text`);
  expect(JSON.stringify(reasons)).not.toContain(secret);
  const [record] = await store.approvals.list({ states: ["ended"] });
  const audit = JSON.stringify(await store.audit.read());
  expect(audit).toContain(digest);
  expect(JSON.stringify(record) + audit).not.toContain(secret);
  const [, kept] = await store.sessions.entries("results of s");
  expect(JSON.stringify(kept)).not.toContain(secret);

  await host.call(call, context);
  expect(questions, "the value that a person approved is known by its digest").toHaveLength(1);
  await host.close();
});
