import { AxeBuilder } from "@axe-core/playwright";
import { createMemoryStore } from "@toolmount/core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "./support/browser.ts";
import { live, openPage, pane } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const runNow = (page: Page) => pane(page).getByRole("button", { name: "Run it now" });
const unknown = (page: Page) => page.getByRole("region", { name: "Approved, effect not known yet" });

/** A call that waits. Its caller has its ticket, and does nothing more. */
async function left(store = createMemoryStore()) {
  const world = createWorld({ store });
  const call = { name: "wipe", arguments: { text: "the build" } };
  const { ticket } = await world.host.call(call, { sessionId: "s", userId: "ana" });
  return { ...world, ticket: ticket!, store };
}

test("a call whose caller is gone is run by the person who approved it; its caller reads the outcome later", async () => {
  const { host, started, ticket } = await left();
  const { server, tokens } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await pane(page).getByRole("button", { name: "Approve once" }).click();
  await pane(page).getByText("approved by you; its caller has not run it yet").waitFor();
  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await expect
    .poll(async () => {
      if (await runNow(page).isVisible()) await runNow(page).click();
      return started;
    })
    .toEqual(["wipe"]);

  await pane(page).getByText("approved by you; it ran").waitFor();
  expect(await runNow(page).count()).toBe(0);
  const outcome = await host.resume(ticket, { sessionId: "s", userId: "ana" });
  expect(outcome).toMatchObject({ status: "ok", result: { data: "wiped the build" } });
  expect([started, problems]).toEqual([["wipe"], []]);
});

test("after a restart the approved call is still there, two people press at once, and it runs once", async () => {
  const { host: before, store } = await left();
  const [question] = await before.approvals.list();
  await before.approvals.decide(question!.id, "approve", "bob");
  await before.close();
  const { host, started } = createWorld({ store });
  const { server, tokens } = await serve(host);
  const pages = await Promise.all(
    [1, 2].map(async () => (await openPage(browser, server.url, tokens.operator)).page),
  );
  for (const page of pages) {
    await live(page);
    await unknown(page).getByRole("link", { name: "Wipe the build" }).click();
    await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  }

  await Promise.all(pages.map((page) => runNow(page).press("Enter")));

  for (const page of pages) {
    await page.getByRole("region", { name: "Answered" }).getByText("approved by bob; it ran").waitFor();
    expect(await unknown(page).count()).toBe(0);
  }
  expect(started).toEqual(["wipe"]);
});
