import { AxeBuilder } from "@axe-core/playwright";
import { data, defineTool, type Host } from "@toolmount/core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startBrowser } from "./support/browser.ts";
import { item, live, openPage, openQuestion, pane } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const approve = (page: Page) => pane(page).getByRole("button", { name: "Approve once" });
const steady = (page: Page) => page.locator("[data-decides]:not([aria-disabled])").first().waitFor();
const violationsOf = async (page: Page) => (await new AxeBuilder({ page }).analyze()).violations;

async function questions(host: Host, count: number, textOf = (at: number) => `folder ${at}`): Promise<void> {
  for (let at = 1; at <= count; at += 1)
    await host.call({ name: "wipe", arguments: { text: textOf(at) } }, { sessionId: "s" });
}

test("of 5,000 questions the oldest are listed, the page says that more wait, and an answer is one press", async () => {
  const { host, started } = createWorld();
  await questions(host, 5_000);
  const { server, tokens } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);

  await page.getByText("1000 and more wait").waitFor();
  await steady(page);
  await approve(page).click();
  await pane(page).getByText("approved by you").waitFor();

  const left = await host.approvals.list({ limit: 10_000 });
  expect([left.length, started, problems]).toEqual([4_999, [], []]);
});

test("two people answer one question at the same moment: one answer counts, and both see whose", async () => {
  const { host } = createWorld();
  await questions(host, 1);
  const { server, tokens } = await serve(host);
  const open = async () => (await openPage(browser, server.url, tokens.operator)).page;
  const pages = [await open(), await open()];
  for (const page of pages) {
    await live(page);
    await approve(page).waitFor();
    await steady(page);
  }

  await Promise.all([
    approve(pages[0]!).press("Enter"),
    pane(pages[1]!).getByRole("button", { name: "Deny" }).press("Enter"),
  ]);

  const word = async (page: Page) => {
    const said = pane(page).getByText(/(approved|denied) by/);
    await said.waitFor();
    return /approved|denied/.exec(await said.innerText())![0];
  };
  const [first, second] = [await word(pages[0]!), await word(pages[1]!)];
  expect(first).toBe(second);
  const [decided] = await host.approvals.list({ states: ["approved", "denied"] });
  expect(decided?.state).toBe(first);
});

const edit = defineTool({
  name: "edit",
  description: "Edits a text. Use in tests.",
  category: "write",
  consequenceLevel: "low",
  requiresConfirmation: true,
  schema: z.strictObject({ file_path: z.string(), old_string: z.string(), new_string: z.string() }),
  execute: () => data("edited"),
});

test("an edit of 300 lines is a difference with its equal lines counted, by keyboard, without a violation", async () => {
  const { host } = createWorld();
  host.coordinator.mount("tools", edit);
  const lines = Array.from({ length: 300 }, (_, at) => `line ${at}`);
  const changed = lines.map((line, at) => (at % 100 === 50 ? `${line} changed` : line));
  const given = { file_path: "a.txt", old_string: lines.join("\n"), new_string: changed.join("\n") };
  await host.call({ name: "edit", arguments: given }, { sessionId: "s" });
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);

  const difference = pane(page).getByRole("group", { name: "Difference" });
  await difference.waitFor();
  expect(await difference.locator("ins").count()).toBe(3);
  expect(await difference.innerText()).toContain("(93 equal lines)");
  expect(await violationsOf(page)).toEqual([]);
});

test("texts from right to left and without spaces between words are shown as they are, and stay in their place", async () => {
  const texts = ["שלום עולם", "مرحبا بالعالم", "删除文件夹", "フォルダを削除"];
  const { host } = createWorld();
  await questions(host, 4, (at) => texts[at - 1]!);
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator, {
    width: 390,
    height: 844,
    scheme: "dark",
  });
  await live(page);

  for (const text of texts) {
    await openQuestion(page, text);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.goBack();
  }
});

test("at 200 % zoom nothing is cut off, and the answers can be reached", async () => {
  const { host } = createWorld();
  await questions(host, 2);
  const { server, tokens } = await serve(host);
  // What a window of 1440 by 900 has room for at 200 %.
  const half = { width: 720, height: 450, scheme: "light" } as const;
  const { page } = await openPage(browser, server.url, tokens.operator, half);
  await live(page);
  for (const view of ["inbox", "calls", "sessions", "plan", "servers", "try"]) {
    await page.evaluate(`location.hash = "#/${view}"`);
    await page.locator("#content", { hasText: "Reading…" }).waitFor({ state: "detached" });
    expect([view, await page.evaluate("document.documentElement.scrollWidth <= innerWidth")]).toEqual([
      view,
      true,
    ]);
  }
  await page.evaluate('location.hash = "#/inbox"');
  await openQuestion(page, "folder 1");
  await steady(page);
  await approve(page).click();
  await pane(page).getByText("approved by you").waitFor();
});

test("while a slow server has not answered, the page says that it reads, and never that nothing waits", async () => {
  const { host } = createWorld();
  await questions(host, 1);
  const { server, tokens } = await serve(host);
  const held = Promise.withResolvers<void>();
  const { page } = await openPage(browser, server.url, tokens.operator, undefined, async (context) => {
    await context.route(/\/approvals$/, async (route) => {
      await held.promise;
      await route.continue();
    });
  });
  await page.getByText("The server does not answer now").waitFor();
  expect(await page.getByText("Nothing waits").count()).toBe(0);
  held.resolve();

  await item(page, "folder 1").waitFor();
});
