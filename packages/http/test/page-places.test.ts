import type { Host } from "@toolmount/core";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { live, openPage, startBrowser } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const card = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });
const approve = (where: Locator) => where.getByRole("button", { name: "Approve once" });

/** The page with questions about these texts, on a clock that the test moves. */
async function pageOf(host: Host, texts: readonly string[]) {
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator, undefined, async (context) => {
    await context.clock.install();
  });
  await live(page);
  for (const text of texts) await ask(host, text);
  for (const text of texts) await card(page, text).waitFor();
  // No more than that: without an event of the server for 40 seconds, the page takes the connection for lost.
  await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 10_000);
  return page;
}

const ask = (host: Host, text: string) =>
  host.call({ name: "wipe", arguments: { text } }, { sessionId: "s" });

/** Where a click on a locator goes. */
async function centerOf(locator: Locator): Promise<{ x: number; y: number }> {
  const box = await locator.boundingBox();
  return { x: box!.x + box!.width / 2, y: box!.y + box!.height / 2 };
}

async function states(host: Host): Promise<string[]> {
  const all = await host.approvals.list({ states: ["pending", "approved", "denied"] });
  return all.map(({ state }) => state).toSorted();
}

test.each([120, 250, 300, 350, 600, 2_000])(
  "two clicks on one place %i ms apart answer one question",
  async (apartMs) => {
    const { host } = createWorld();
    const page = await pageOf(host, ["vendor one", "vendor two", "vendor three"]);
    const { x, y } = await centerOf(approve(card(page, "vendor one")));

    await page.mouse.click(x, y);
    await card(page, "vendor one").getByText("approved by you").waitFor();
    await page.clock.runFor(apartMs);
    await page.mouse.click(x, y);
    await page.clock.runFor(1_000);
    // What the second click had asked for would be there before the answer to this.
    await page.evaluate("fetch('/healthz').then((answer) => answer.text())");

    expect(await states(host)).toEqual(["approved", "pending", "pending"]);
  },
);

test("the answer of another person moves nothing under the pointer", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one", "vendor two"]);
  const before = await approve(card(page, "vendor two")).boundingBox();
  const [first] = await host.approvals.list();
  await host.approvals.decide(first!.id, { decision: "deny", reason: "a long reason ".repeat(20) }, "Ana");
  await card(page, "vendor one").getByText("denied by Ana").waitFor();

  expect(await approve(card(page, "vendor two")).boundingBox()).toEqual(before);
});

test("a button that moved or appeared does nothing for half a second, and says so", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one", "vendor two"]);
  await approve(card(page, "vendor one")).click();
  await card(page, "vendor one").getByText("approved by you").waitFor();
  // A click elsewhere takes the answered card out of its place, and the next one moves.
  await page.getByRole("heading", { name: "Approvals" }).click();
  await card(page, "vendor one").waitFor({ state: "detached" });
  await page.clock.runFor(50);
  const { x, y } = await centerOf(approve(card(page, "vendor two")));

  await page.clock.runFor(300);
  await page.mouse.click(x, y);
  await page.getByText("The button has only just come there. Press it again.").waitFor();
  expect(await states(host)).toEqual(["approved", "pending"]);
  await page.clock.runFor(300);
  await page.mouse.click(x, y);
  await card(page, "vendor two").getByText("approved by you").waitFor();

  expect(await states(host)).toEqual(["approved", "approved"]);
});

test("after an answer by keyboard the focus is on the next question, and after the last one on the page", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one", "vendor two"]);
  const focused = () => page.evaluate<string>("document.activeElement.id");
  const headingOf = (text: string) => card(page, text).getByRole("heading").getAttribute("id");
  const [one, two] = [await headingOf("vendor one"), await headingOf("vendor two")];
  expect(one).not.toBe(two);

  await approve(card(page, "vendor one")).focus();
  await page.keyboard.press("Enter");
  await expect.poll(focused).toBe(two);
  await page.keyboard.press("Enter");
  expect(await states(host)).toEqual(["approved", "pending"]);
  for (let at = 0; at < 3; at++) {
    await page.keyboard.press("Tab");
    if (await approve(card(page, "vendor two")).evaluate((element) => element.matches(":focus"))) break;
  }
  await page.keyboard.press("Enter");

  await expect.poll(focused).toBe("content");
  expect(await states(host)).toEqual(["approved", "approved"]);
});

test("a new question comes last, and moves none", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one"]);
  const before = await approve(card(page, "vendor one")).boundingBox();
  await ask(host, "vendor two");
  await card(page, "vendor two").waitFor();

  expect(await approve(card(page, "vendor one")).boundingBox()).toEqual(before);
  expect(await page.getByRole("article").last().innerText()).toContain("vendor two");
});
