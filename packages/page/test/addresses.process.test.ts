import { AxeBuilder } from "@axe-core/playwright";
import { createHost, data, defineTool, silentLogger } from "@toolmount/core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startBrowser } from "./support/browser.ts";
import { live, openPage } from "./support/page.ts";
import { serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const views = ["inbox", "calls", "sessions", "plan", "servers", "try"];
/** Every address that the page has, also of things that are not there, and one that no page has. */
const addresses = [...views.flatMap((view) => [view, `${view}/gone`]), "nothing/of/it", "inbox?host=gone"];

/** What a person reads at an address, once nothing of it is being read. */
async function read(page: Page, address: string): Promise<string> {
  await page.evaluate(`location.hash = "#/${address}"`);
  const content = page.locator("#content");
  await page.locator("#content", { hasText: "Reading…" }).waitFor({ state: "detached" });
  return (await content.innerText()).replaceAll(/\s+/g, " ");
}

/** The addresses with less to read than a heading, or with a value that was not one. */
async function blankIn(page: Page): Promise<string[]> {
  const blank: string[] = [];
  for (const address of addresses) {
    const text = await read(page, address);
    if (text.length < 25 || /undefined|\[object|NaN/.test(text)) blank.push(`${address}: ${text}`);
    // The page has no frames: without this, each look would open a page more.
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    if (violations.length > 0) blank.push(`${address}: ${violations.map(({ id }) => id).join(", ")}`);
  }
  return blank;
}

const look = defineTool({
  name: "look",
  description: "Looks. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: true,
  schema: z.strictObject({ at: z.string() }),
  execute: ({ at }) => data(at),
});

test("no address is blank where nothing is there", async () => {
  const { server, tokens } = await serve(createHost({ logger: silentLogger }));
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);

  expect(await blankIn(page)).toEqual([]);
  expect(problems.filter((text) => !text.includes("404"))).toEqual([]);
});

test("no address is blank where much is there, with texts of every direction and a result of two megabytes", async () => {
  const host = createHost({ logger: silentLogger });
  host.coordinator.mount("tools", look);
  const texts = ["שלום עולם", "你好，世界", "مرحبا", "x".repeat(2_000_000), "a\n".repeat(300)];
  for (let at = 0; at < 300; at += 1) {
    const call = { name: "look", arguments: { at: texts[at % 5]!.slice(0, at === 3 ? undefined : 2_000) } };
    await host.call(call, { sessionId: `s${at % 7}` });
  }
  const { server, tokens } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);

  expect(await blankIn(page)).toEqual([]);
  expect(problems.filter((text) => !text.includes("404"))).toEqual([]);
});

test("no address is blank where the server fails: each says so", async () => {
  const host = createHost({ logger: silentLogger });
  host.coordinator.mount("tools", look);
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.route(/\/api\/v1\/hosts\/.*\/(?!events)/, (route) =>
    route.fulfill({ status: 500, json: { code: "INTERNAL", detail: "the disk is full" } }),
  );

  expect(await blankIn(page)).toEqual([]);
});
