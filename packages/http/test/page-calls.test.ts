import { createHost, createMemoryStore, data, defineTool, systemClock } from "@toolmount/core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { live, openPage, startBrowser } from "./support/page.ts";
import { serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** A host whose tools take exactly as long as each call says: they set its clock. */
function hostOfDurations() {
  // The page shows the last minutes, so the host's clock begins at the machine's.
  const begin = systemClock.now();
  let now = begin;
  const clock = { ...systemClock, now: () => now, elapsed: () => now };
  const host = createHost({ store: createMemoryStore(), clock });
  const schema = z.strictObject({ ms: z.number(), fails: z.boolean().default(false) });
  const rest = { category: "read", consequenceLevel: "low", requiresConfirmation: false, schema } as const;
  const execute = async ({ ms, fails }: z.output<typeof schema>) => {
    now += ms;
    if (fails) throw new Error("it fails");
    return data(ms);
  };
  for (const name of ["read", "search"])
    host.coordinator.mount("tools", defineTool({ ...rest, name, description: "Takes time.", execute }));
  const call = async (name: string, ms: number, fails = false) => {
    now = begin;
    await host.call({ name, arguments: { ms, fails } }, { sessionId: "s" });
  };
  return { host, clock, call };
}

/** Moves the mouse along the plot until its legend shows what a step with calls has. */
async function legendOf(page: Page): Promise<Record<string, string>> {
  const box = (await page.locator(".plot .u-over").boundingBox())!;
  const textsOf = (part: string) => page.locator(`.plot .u-series ${part}`).allInnerTexts();
  const labels = await textsOf(".u-label");
  for (let x = box.width - 1; x > 0; x -= 4) {
    await page.mouse.move(box.x + x, box.y + box.height / 2);
    const values = await textsOf(".u-value");
    const shown = Object.fromEntries(labels.map((label, at) => [label, values[at]!]));
    if (Number(shown["calls"]) > 0) return shown;
  }
  return expect.fail("no step of the plot has calls");
}

test("the plot has calls, errors and p50, p95 and p99 of the shown calls, also of one tool", async () => {
  const { host, clock, call } = hostOfDurations();
  const { server, tokens } = await serve(host, { clock });
  for (let ms = 1; ms <= 100; ms++) await call("read", ms, ms > 97);
  for (let ms = 1; ms <= 20; ms++) await call("search", 10_000 + ms);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByRole("link", { name: "Calls" }).click();

  await page.getByText("3 errors · p50 60 ms · p95 10.0 s · p99 10.0 s").waitFor();
  await page.getByLabel("tool", { exact: true }).fill("read");
  await page.getByText("3 errors · p50 50 ms · p95 95 ms · p99 99 ms").waitFor();
  await page.getByRole("img", { name: "Plot of 100 calls over time" }).waitFor();

  await expect
    .poll(() => legendOf(page), { timeout: 240_000 })
    .toMatchObject({
      calls: "100",
      errors: "3",
      "p50 ms": "50",
      "p95 ms": "95",
      "p99 ms": "99",
    });
  expect(problems).toEqual([]);
});

test("filters of tool, status and session choose the calls of the table", async () => {
  const { host, clock, call } = hostOfDurations();
  const { server, tokens } = await serve(host, { clock });
  await call("read", 1);
  await call("search", 2);
  await call("search", 3, true);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByRole("link", { name: "Calls" }).click();
  const rows = page.locator(".rows li");
  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(3);

  await page.getByLabel("tool", { exact: true }).fill("search");
  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(2);
  await page.getByLabel("status", { exact: true }).fill("failed");
  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(1);
  expect(await rows.innerText()).toMatch(/search\s+TOOL_FAILED\s+3 ms\s+s/);
  await page.getByLabel("session", { exact: true }).fill("another");
  await page.getByText("0 calls").waitFor();
});
