import { createHost, createMemoryStore, data, defineTool, systemClock } from "@toolmount/core";
import type { Browser } from "playwright-core";
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
  const call = async (name: string, ms: number, fails = false, since = 0) => {
    now = begin + since;
    await host.call({ name, arguments: { ms, fails } }, { sessionId: "s" });
  };
  return { host, clock, call };
}

test("the head of the calls has errors and p50, p95 and p99 of the shown calls, also of one tool", async () => {
  const { host, clock, call } = hostOfDurations();
  const { server, tokens } = await serve(host, { clock });
  for (let ms = 1; ms <= 100; ms++) await call("read", ms, ms > 97);
  for (let ms = 1; ms <= 20; ms++) await call("search", 10_000 + ms);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByRole("link", { name: "Calls" }).click();

  await page.getByText("120 calls · 3 errors · p50 60 ms · p95 10.0 s · p99 10.0 s").waitFor();
  await page.getByLabel("tool", { exact: true }).fill("read");
  await page.getByText("100 calls · 3 errors · p50 50 ms · p95 95 ms · p99 99 ms").waitFor();
  await page.getByRole("img", { name: "100 calls over time" }).waitFor();
  expect(problems).toEqual([]);
});

test("the histogram filters by a press on a bar, by keyboard, and by an address; all times are one press away", async () => {
  const { host, clock, call } = hostOfDurations();
  const { server, tokens } = await serve(host, { clock });
  await call("read", 1);
  await call("read", 1, true, -60_000);
  await call("search", 1, false, -60_000);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByRole("link", { name: "Calls" }).click();
  await page.getByText("3 calls").waitFor();

  const box = (await page.locator(".histogram svg").boundingBox())!;
  await page.mouse.click(box.x + box.width - 2, box.y + box.height - 4);
  await page.getByText("1 call · 0 errors").waitFor();
  await page.reload();
  await page.getByText("1 call · 0 errors").waitFor();
  await page.getByRole("button", { name: /show all times/ }).click();
  await page.getByText("3 calls").waitFor();
  const times = page.getByLabel("Calls of one time");
  await times.selectOption({ index: 1 });
  await page.getByText("2 calls · 1 error").waitFor();
  expect(await page.locator(".rows li").count()).toBe(2);
});

test("filters of tool, status, code and session choose the calls of the table, and a link keeps them", async () => {
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
  await page.getByLabel("status", { exact: true }).fill("TOOL_FAILED");
  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(1);
  expect(await rows.innerText()).toMatch(/search\s+ms: 3, fails: true\s+s\s+TOOL_FAILED\s+3 ms/);
  await page.reload();
  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(1);
  await page.getByLabel("session", { exact: true }).fill("another");
  await page.getByText("No call has these filters").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(3);
  await page.getByRole("button", { name: "failed 1" }).click();
  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(1);
});

test("the table of calls is one stop of the Tab key, and the arrow keys go through it", async () => {
  const { host, clock, call } = hostOfDurations();
  const { server, tokens } = await serve(host, { clock });
  for (let ms = 1; ms <= 60; ms++) await call("read", ms);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByRole("link", { name: "Calls" }).click();
  const stops = page.locator('.rows .row[tabindex="0"]');
  await expect.poll(() => stops.count(), { timeout: 240_000 }).toBe(1);

  await stops.focus();
  const focused = page.locator(".row:focus");
  await page.keyboard.press("End");
  await expect.poll(() => focused.innerText(), { timeout: 240_000 }).toMatch(/\s1 ms$/);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Call", exact: true }).getByText("ended: ok").waitFor();
  expect(await stops.count()).toBe(1);
});

test("the page searches the whole history, reads older calls, and saves them as a file", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const schema = z.strictObject({ order: z.string() });
  const rest = {
    category: "side_effect",
    consequenceLevel: "low",
    requiresConfirmation: false,
    schema,
  } as const;
  const open = () => {
    const host = createHost({ store });
    const execute = async ({ order }: z.output<typeof schema>) => data({ shipped: order });
    host.coordinator.mount("tools", defineTool({ ...rest, name: "ship", description: "Ships.", execute }));
    return host;
  };
  const before = open();
  for (const order of ["tea", "coffee", "tea and cake"])
    await before.call({ name: "ship", arguments: { order } }, { sessionId: "old" });
  await before.close();
  const host = open();
  const exportCalls = async function* () {
    yield "time,run,tool";
  };
  const { server, tokens } = await serve({ default: { host, exportCalls } });
  await host.call({ name: "ship", arguments: { order: "milk" } });
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByRole("link", { name: "Calls" }).click();
  const rows = page.locator(".rows li");

  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(4);
  await page.getByLabel("text", { exact: true }).fill("tea");
  await expect.poll(() => rows.count(), { timeout: 240_000 }).toBe(2);
  await page.getByText("These are all calls that are kept.").waitFor();
  await rows.first().click();
  await page.getByRole("region", { name: "Call", exact: true }).getByText("tea and cake").first().waitFor();
  await page.getByLabel("text", { exact: true }).fill("nowhere");
  await page.getByText("No call has these filters").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await page.getByRole("button", { name: "Older calls" }).click();
  await page.getByText("These are all calls that are kept.").waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as CSV" }).click();
  expect((await saving).suggestedFilename()).toBe("calls.csv");
  expect(problems).toEqual([]);
});
