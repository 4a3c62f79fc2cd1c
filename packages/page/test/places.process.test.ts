import { data, defineTool, type Host } from "@toolmount/core";
import type { Browser, Locator, Page } from "playwright-core";
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

/** The page with questions about these texts, on a clock that the test moves. */
async function pageOf(host: Host, texts: readonly string[]) {
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator, undefined, async (context) => {
    await context.clock.install();
  });
  await live(page);
  for (const text of texts) await ask(host, text);
  for (const text of texts) await item(page, text).waitFor();
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
    const { x, y } = await centerOf(approve(page));

    await page.mouse.click(x, y);
    await pane(page).getByText("approved by you").waitFor();
    await page.clock.runFor(apartMs);
    await page.mouse.click(x, y);
    await page.clock.runFor(1_000);
    // What the second click had asked for would be there before the answer to this.
    await page.evaluate("fetch('/healthz').then((answer) => answer.text())");

    expect(await states(host)).toEqual(["approved", "pending", "pending"]);
  },
);

test("the answer of another person moves nothing: the question that is shown stays, and each keeps its place in the list", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one", "vendor two"]);
  const before = await item(page, "vendor two").boundingBox();
  const [first] = await host.approvals.list();
  await host.approvals.decide(first!.id, { decision: "deny", reason: "a long reason ".repeat(20) }, "Ana");
  await pane(page).getByText("denied by Ana").waitFor();

  await pane(page).getByRole("heading", { name: "Wipe vendor one" }).waitFor();
  const after = await item(page, "vendor two").boundingBox();
  // The chips of an answered question go; nothing else changes.
  expect(after!.x).toBe(before!.x);
  expect(after!.y).toBe(before!.y);
});

test("a button that has just appeared does nothing for half a second, and says so", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one", "vendor two"]);
  await approve(page).click();
  await pane(page).getByText("approved by you").waitFor();
  await openQuestion(page, "vendor two");
  await page.clock.runFor(50);
  const { x, y } = await centerOf(approve(page));

  await page.clock.runFor(300);
  await page.mouse.click(x, y);
  await page.getByText("The button has only just come there. Press it again.").waitFor();
  expect(await states(host)).toEqual(["approved", "pending"]);
  await page.clock.runFor(300);
  await page.mouse.click(x, y);
  await pane(page).getByText("approved by you").waitFor();

  expect(await states(host)).toEqual(["approved", "approved"]);
});

/** What has the focus: its text, or its name. */
const focused = (page: Page) =>
  page.evaluate<string>("document.activeElement.textContent.trim() || document.activeElement.placeholder");

test("j and k go through the questions, a approves, d asks for a reason, and n goes to the next: the focus is never lost", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one", "vendor two", "vendor three"]);
  const press = async (key: string) => {
    await page.keyboard.press(key);
    await page.clock.runFor(50);
  };
  await press("j");
  await expect.poll(() => focused(page)).toBe("Wipe vendor two");
  await press("k");
  await expect.poll(() => focused(page)).toBe("Wipe vendor one");
  await press("a");
  await pane(page).getByText("approved by you").waitFor();
  expect(await states(host)).toEqual(["approved", "pending", "pending"]);
  await press("a");
  await press("n");
  await expect.poll(() => focused(page)).toBe("Wipe vendor two");
  await press("d");
  await expect.poll(() => focused(page)).toBe("Reason: the model reads it");
  await page.keyboard.type("a jackal and");
  await page.keyboard.press("Enter");
  await pane(page).getByText("denied by you: a jackal and").waitFor();
  await expect.poll(() => focused(page)).toMatch(/^Next question/);
  await press("Enter");
  await expect.poll(() => focused(page)).toBe("Wipe vendor three");
  await press("a");
  await pane(page).getByText("approved by you").waitFor();
  await expect.poll(() => focused(page)).toBe("Wipe vendor three");

  expect(await states(host)).toEqual(["approved", "approved", "denied"]);
});

test("a call of high consequence is approved by a then Enter, not by one key", async () => {
  const { host } = createWorld();
  const schema = z.strictObject({ to: z.string() });
  const launch = defineTool({
    name: "launch",
    description: "Launches. Use in tests.",
    schema,
    category: "side_effect",
    consequenceLevel: "high",
    requiresConfirmation: true,
    execute: async () => data("up"),
  });
  host.coordinator.mount("tools", launch);
  const page = await pageOf(host, []);
  await host.call({ name: "launch", arguments: { to: "orbit" } }, { sessionId: "s" });
  await item(page, "Launch orbit").waitFor();
  await page.clock.runFor(1_000);

  await page.keyboard.press("a");
  await expect.poll(() => focused(page)).toMatch(/^Approve once/);
  expect(await states(host)).toEqual(["pending"]);
  await page.keyboard.press("Enter");
  await pane(page).getByText("approved by you").waitFor();
});

test("a new question comes last, moves none, and a screen reader hears of it", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one"]);
  const before = await approve(page).boundingBox();
  await ask(host, "vendor two");
  await item(page, "vendor two").waitFor();

  expect(await approve(page).boundingBox()).toEqual(before);
  expect(await page.locator(".list .item").last().innerText()).toContain("vendor two");
  await page.getByRole("status").getByText("New question: Wipe vendor two. 2 wait.").waitFor();
});

test("a link opens its question, also one with the name of before", async () => {
  const { host } = createWorld();
  const page = await pageOf(host, ["vendor one", "vendor two"]);
  const [, second] = await host.approvals.list();
  for (const view of ["inbox", "approvals"]) {
    await page.goto(`${new URL(page.url()).origin}/#/${view}`);
    await page.goto(`${new URL(page.url()).origin}/#/${view}/${second!.id}`);
    await pane(page).getByRole("heading", { name: "Wipe vendor two" }).waitFor();
    expect(await item(page, "vendor two").getAttribute("aria-current")).toBe("true");
  }
});

test("on a phone the list leads to a question, which is answered with one thumb", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  await ask(host, "vendor one");
  await ask(host, "vendor two");
  const phone = { width: 390, height: 844, scheme: "light" } as const;
  const { page } = await openPage(browser, server.url, tokens.operator, phone);
  await live(page);
  await openQuestion(page, "vendor two");
  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  for (const name of ["Approve once", "Always…", "Deny"]) {
    const box = await pane(page).getByRole("button", { name }).boundingBox();
    expect(box!.height).toBeGreaterThanOrEqual(44);
    expect(box!.y).toBeGreaterThan(phone.height / 2);
  }
  await approve(page).click();
  await pane(page).getByText("approved by you").waitFor();
  await pane(page).getByRole("button", { name: "Next question" }).click();
  await pane(page).getByRole("heading", { name: "Wipe vendor one" }).waitFor();

  expect(await states(host)).toEqual(["approved", "pending"]);
});
