import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "./support/browser.ts";
import { item, live, openPage, pane } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test("a rule shows what it would answer, and then answers the calls that match it alone", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const wipe = async (text: string) =>
    (await host.call({ name: "wipe", arguments: { text } }, { sessionId: "s" })).status;
  for (const text of ["out/one", "out/one", "out/two", "src/one"]) expect(await wipe(text)).toBe("pending");
  await host.call({ name: "echo", arguments: { text: "out/one" } }, { sessionId: "s" });
  await item(page, "out/one").first().waitFor();

  await page.keyboard.press("r");
  const scopes = pane(page).getByRole("list", { name: "Approve also later calls" });
  const rule = scopes.getByRole("button", { name: "Always, by this rule" });
  await scopes.getByLabel("text").fill("*");
  await scopes.getByText("A rule needs at least one argument").waitFor();
  expect(await rule.isDisabled()).toBe(true);
  await scopes.getByLabel("text").fill("out/*");
  await scopes.getByText("wipe where text is out/*, in every session").waitFor();
  await scopes.getByText("It would have answered 3 of the last 5 calls.").waitFor();
  expect(await scopes.getByText("It would have answered 2 of the last 5 calls.").count()).toBe(2);
  await scopes.getByLabel("It ends").selectOption("in 8 hours");
  await rule.press("Enter");
  await page.getByText("where text is out/*, by operator").waitFor();
  await page.getByText("not used yet, ends ").waitFor();

  expect([await wipe("out/two"), await wipe("src/two")]).toEqual(["ok", "pending"]);
});

test("questions alike get one answer: those that are marked, and no other", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  for (const text of ["one", "two", "three", "four"])
    await host.call({ name: "wipe", arguments: { text } }, { sessionId: "s" });
  await item(page, "Wipe four").waitFor();

  await pane(page).getByText("3 other questions of wipe wait.").waitFor();
  await pane(page).getByRole("button", { name: "Mark all 4" }).click();
  await pane(page).getByRole("heading", { name: "One answer for 4 questions" }).waitFor();
  await page.getByRole("checkbox", { name: "Mark: Wipe three" }).uncheck();
  await pane(page).getByRole("heading", { name: "One answer for 3 questions" }).waitFor();
  expect(await pane(page).getByRole("region", { name: "Wipe three" }).count()).toBe(0);
  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  await pane(page).getByRole("button", { name: "Approve 3, each once" }).click();
  await page.getByText("3 questions approved.").waitFor();

  const [left, ...others] = await host.approvals.list();
  expect([left!.arguments, others.length]).toEqual([{ text: "three" }, 0]);
  for (const text of ["one", "two", "four"])
    await item(page, `Wipe ${text}`).getByText("approved by you").waitFor();
  expect(problems).toEqual([]);
});
