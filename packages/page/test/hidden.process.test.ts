import { data, defineTool } from "@toolmount/core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startBrowser } from "./support/browser.ts";
import { live, openPage } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const account = "ACME, account \u202e00 11 22 33\u202c";
const accountShown = String.raw`ACME, account \u202e00 11 22 33\u202c`;

/** Every text and attribute of the page in which something would not show. */
function misleading(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const hidden = /(?![\\n\\t\\u200c\\u200d\\ufe0e\\ufe0f])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]/u;
    const all = [document.title, ...[...document.querySelectorAll("body *")].flatMap((element) => [
      ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
      ...[...element.attributes].filter(({ name }) => name !== "value").map(({ value }) => value),
    ])];
    return all.filter((text) => hidden.test(text));
  })()`);
}

test("an approval shows characters that do not show as marked escapes, and says how many there are", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await host.call({ name: "wipe", arguments: { text: `${account}\u200b\u{e0041}` } }, { sessionId: "s" });
  const card = page.getByRole("article", { name: "Wipe" });
  await card.waitFor();

  const shown = card.getByRole("group", { name: "Arguments" });
  expect(await shown.innerText()).toContain(accountShown);
  await shown.getByText("It has 4 characters that do not show. They are marked.").waitFor();
  expect(await shown.locator("mark.hidden").allInnerTexts()).toEqual([
    String.raw`\u202e`,
    String.raw`\u202c\u200b\udb40\udc41`,
  ]);
  expect(await shown.locator("mark.hidden").first().getAttribute("title")).toBe("does not show: U+202E");
  expect(await misleading(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test("room that would push text out of sight is shown as its count, and the text after it is in sight", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const text = `ls${" ".repeat(2_000)}; rm -rf /`;
  await host.call({ name: "wipe", arguments: { text } }, { sessionId: "s" });
  const shown = page.getByRole("article", { name: "Wipe" }).getByRole("group", { name: "Text of text" });

  expect(await shown.innerText()).toBe("ls[2000 spaces]; rm -rf /");
  expect(await shown.locator("mark").count()).toBe(1);
});

test("a question about 300 lines shows every line, and empty lines that would push the last one out of sight as their count", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const lines = Array.from({ length: 300 }, (_, at) => `echo ${at}`);
  const text = `${lines.join("\n")}${"\n".repeat(500)}rm -rf /important`;
  await host.call({ name: "wipe", arguments: { text } }, { sessionId: "s" });
  const shown = page.getByRole("article", { name: "Wipe" }).getByRole("group", { name: "Text of text" });

  expect(await shown.innerText()).toBe(`${lines.join("\n")}\n[499 empty lines]\nrm -rf /important`);
  const hidden = await page.evaluate<number>(
    "document.querySelector('pre.lines').scrollHeight - document.querySelector('pre.lines').clientHeight",
  );
  expect(hidden).toBeLessThanOrEqual(0);
});

test("no view shows what a tool, a caller or a user wrote otherwise than it is", async () => {
  const { host } = createWorld();
  const draft = host.draft();
  draft.addModule({ id: "odd", hiddenText: "allow" }).coordinator.mount(
    "tools",
    defineTool({
      name: "pay",
      description: `Pays. Use in tests. ${account}`,
      schema: z.strictObject({ to: z.string().default("").describe(account) }),
      category: "side_effect",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: ({ to }) => data({ paid: to, note: account }),
    }),
  );
  await draft.commit();
  const { server, tokens } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const hostile = { sessionId: "s\u202e1", userId: "a\u200bda" };
  await host.call({ name: "pay", arguments: { to: account } }, hostile);
  await host.call({ name: "wipe", arguments: { text: account } }, hostile);
  const [waiting] = await host.approvals.list();
  await page.getByRole("article", { name: "Wipe" }).waitFor();
  expect(await misleading(page)).toEqual([]);
  await host.approvals.decide(waiting!.id, { decision: "deny", reason: account }, "An\u200ba");
  await page.getByText(String.raw`An\u200ba denied wipe.`).waitFor();
  await page.getByText(accountShown).first().waitFor();
  expect(await misleading(page)).toEqual([]);

  const nav = page.getByRole("navigation");
  await nav.getByRole("link", { name: "Calls" }).click();
  await page.getByRole("button", { name: /pay/ }).first().click();
  const call = page.getByRole("region", { name: "Call", exact: true });
  await call.getByLabel("Result").getByText(accountShown).waitFor();
  expect(await call.innerText()).toContain(String.raw`s\u202e1`);
  expect(await misleading(page)).toEqual([]);

  await nav.getByRole("link", { name: "Try a tool" }).click();
  await page.getByRole("combobox", { name: /^Tool/ }).selectOption("pay");
  await page.getByText(accountShown).first().waitFor();
  expect(await misleading(page)).toEqual([]);
  await page.getByLabel("to", { exact: false }).last().fill(account);
  await page.getByRole("button", { name: "Call pay" }).click();
  await page.getByRole("region", { name: "Outcome" }).getByText(accountShown).first().waitFor();
  expect(await misleading(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test("a session shows what its user, its model and its tools wrote as it is", async () => {
  const { host } = createWorld();
  const summary = {
    id: "s\u200b1",
    title: `Pay ${account}`,
    status: "done",
    turns: 1,
    waits: 0,
    agent: "read\u202eer",
    parentId: null,
    forkedFrom: null,
    updatedAt: 1,
    usage: { requests: 1, inputTokens: 1, outputTokens: 1 },
    cost: null,
  };
  const items = [
    { type: "message", role: "user", content: `Pay ${account}` },
    { type: "function_call", name: "wi\u200bpe", call_id: "c", arguments: JSON.stringify({ to: account }) },
    { type: "function_call_output", call_id: "c", output: `paid ${account}` },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: `Done: ${account}` }] },
  ];
  const waiting = [{ tool: "wi\u200bpe", waitsFor: "approval", callId: "c\u202e" }];
  const turns = {
    list: async () => [summary],
    lastTurn: async () => null,
    show: async () => ({ ...summary, children: [], waiting, items }),
    owner: async () => null,
    run: async () => ({}),
    resume: async () => ({}),
    fork: async () => summary,
  };
  const { server, tokens } = await serve({ default: { host, turns } });
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: "Pay ACME" }).click();
  const session = page.getByRole("region", { name: "Session" });
  await session.getByText(`Done: ${accountShown}`).waitFor();

  expect(await session.innerText()).toContain(String.raw`wi\u200bpe waits for approval`);
  expect(await misleading(page)).toEqual([]);
  expect(problems).toEqual([]);
});
