import type { Page } from "playwright-core";
import { startBrowser } from "./support/browser.ts";
import { expect, onTestFinished, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const rows = 10_000;
/** Rows that a page may have in its document: more of them make each frame slow. */
const maxDrawn = 100;

/** Waits until what has changed is drawn. Resolves to how many rows the document has then. */
async function drawn(page: Page): Promise<number> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  return page.locator(".rows li").count();
}

test("10,000 calls are loaded, scrolled, filtered and joined by new ones, and the document has few of them at a time", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  for (let at = 0; at < rows; at++) await host.call({ name: "echo" }, { sessionId: `s${at % 50}` });
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(240_000); // only against hanging
  await page.goto(`${server.url}/#/calls`);

  await page.getByLabel("Token").fill(tokens.operator);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText(`${rows} calls`).first().waitFor(); // calls of one second are also named by the histogram
  const list = page.getByRole("region", { name: "Calls, newest first" });
  const counts: number[] = [];
  for (let at = 0; at < 40; at++) {
    await list.evaluate((element, top) => element.scrollTo(0, top), at * 9_000);
    counts.push(await drawn(page));
  }
  for (let at = 0; at < 200; at++) {
    await host.call({ name: "echo" }, { sessionId: "live" });
    if (at % 10 === 0) counts.push(await drawn(page));
  }
  await page.getByLabel("session").fill("live");
  await page.getByText("200 calls").first().waitFor();
  counts.push(await drawn(page));

  expect(Math.min(...counts)).toBeGreaterThan(0);
  expect(Math.max(...counts)).toBeLessThan(maxDrawn);
});
