import { chromium, type Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { createWorld, serve } from "./support/world.ts";

const rows = 10_000;
/** Milliseconds of a frame that a person notices. */
const maxFrameMs = 50;

/** One event of Chromium's tracing. Times are microseconds; `tdur` is time of the processor, so other processes do not count. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Milliseconds of each task of the page's main thread; a frame is one task. */
function tasksOf(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const named = traceEvents.filter(({ name }) => name === "thread_name");
  const main = new Set(named.filter(({ args }) => args.name === "CrRendererMain").map(threadOf));
  const tasks = traceEvents.filter(({ name, ph }) => ph === "X" && name.endsWith("RunTask"));
  return tasks.filter((task) => main.has(threadOf(task))).map(({ tdur = 0 }) => tdur / 1_000);
}

async function twoFrames(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

test("10,000 calls are loaded, scrolled, filtered and joined by new ones, and no frame takes more than 50 ms", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  for (let at = 0; at < rows; at++) await host.call({ name: "echo" }, { sessionId: `s${at % 50}` });
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(240_000); // only against hanging
  await page.goto(`${server.url}/#/calls`);
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });

  await page.getByLabel("Token").fill(tokens.operator);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText(`${rows} calls`).waitFor();
  const list = page.getByRole("region", { name: "Calls, newest first" });
  for (let at = 0; at < 40; at++) {
    await list.evaluate((element, top) => element.scrollTo(0, top), at * 9_000);
    await twoFrames(page);
  }
  for (let at = 0; at < 200; at++) {
    await host.call({ name: "echo" }, { sessionId: "live" });
    if (at % 10 === 0) await twoFrames(page);
  }
  await page.getByLabel("session").fill("live");
  await page.getByText("200 calls").waitFor();

  const tasks = tasksOf(await browser.stopTracing());
  expect(tasks.length).toBeGreaterThan(100);
  expect(Math.max(...tasks)).toBeGreaterThan(0);
  expect(tasks.filter((ms) => ms > maxFrameMs)).toEqual([]);
  expect(await page.locator(".rows li").count()).toBeLessThan(100);
});
