import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createMemoryStore, systemClock, type Host } from "@toolmount/core";
import { createTokenCheck } from "@toolmount/http";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startBrowser } from "./support/browser.ts";
import { live, openPage, pane } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

/*
 * Three jobs of people, as scripts that count what a person presses. The guide has the counts in a table, beside what the pages of
 * others say that their like needs; the last test compares the two.
 */

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Presses as a person does, and counts keys and clicks. */
function person(page: Page) {
  const count = { keys: 0, clicks: 0 };
  return {
    count,
    press: async (key: string) => {
      count.keys += 1;
      await page.keyboard.press(key);
    },
    click: async (target: Locator, position?: { readonly x: number; readonly y: number }) => {
      count.clicks += 1;
      await target.click(position === undefined ? {} : { position });
    },
    type: async (text: string) => {
      count.keys += text.length;
      await page.keyboard.type(text);
    },
  };
}

const counts: Record<string, { readonly keys: number; readonly clicks: number }> = {};

async function questions(host: Host, count: number): Promise<void> {
  for (let at = 1; at <= count; at += 1)
    await host.call({ name: "wipe", arguments: { text: `folder ${at}` } }, { sessionId: "s" });
}

/** Answers can be pressed half a second after they came to their place. */
const steady = (page: Page) => page.locator("[data-decides]:not([aria-disabled])").first().waitFor();

test("40 questions are answered one by one with two keys each", async () => {
  const { host } = createWorld();
  await questions(host, 40);
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const { press, count } = person(page);
  for (let at = 1; at <= 40; at += 1) {
    await pane(page)
      .getByRole("heading", { name: `Wipe folder ${at}`, exact: true })
      .waitFor();
    await press("a");
    await pane(page).getByText("approved by you").waitFor();
    if (at < 40) await press("n");
  }

  expect(await host.approvals.list()).toEqual([]);
  counts["40 questions, one by one"] = count;
});

test("40 questions that are alike are answered together", async () => {
  const { host } = createWorld();
  await questions(host, 40);
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const { click, count } = person(page);
  await click(pane(page).getByRole("button", { name: "Mark all 40" }));
  await steady(page);
  await click(pane(page).getByRole("button", { name: /^Approve/ }));

  await expect.poll(() => host.approvals.list()).toEqual([]);
  counts["40 questions that are alike"] = count;
});

const day = 86_400_000;

/** Five days of calls. On each, one person allowed one deletion; all of it is in the audit alone. */
async function lastWeek() {
  const store = createMemoryStore({ audit: "durable" });
  let at = Date.parse("2026-05-04T09:00:00Z");
  const clock = { ...systemClock, now: () => at };
  const { host } = createWorld({ store, clock });
  for (const name of ["ann", "bob", "cleo", "dan", "eve"]) {
    for (let other = 0; other < 5; other += 1) await host.call({ name: "echo" }, { sessionId: "s" });
    const { ticket } = await host.call({ name: "wipe", arguments: { text: "a" } }, { sessionId: "s" });
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, "approve", name);
    await host.resume(ticket!, { sessionId: "s" });
    at += day;
  }
  await host.close();
  return createWorld({ store });
}

test("a person finds who allowed a deletion on Tuesday", async () => {
  const { host } = await lastWeek();
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const { click, type, count } = person(page);
  await click(page.getByRole("link", { name: "Calls" }));
  await click(page.getByRole("search").getByLabel("tool", { exact: true }));
  await type("wipe");
  const bars = page.getByRole("img", { name: "5 calls over time" });
  const { width } = (await bars.boundingBox())!;
  // The second of five days, of which the last ends at the right.
  await click(bars, { x: (width * 1.01) / 4.05, y: 10 });
  const rows = page.locator("#content").getByText("wipe", { exact: true });
  await expect.poll(() => rows.count()).toBe(1);
  await click(rows.first());

  await page.getByRole("region", { name: "Call" }).getByText("approval:granted: bob").waitFor();
  counts["who allowed a deletion on Tuesday"] = count;
});

const cli = join(import.meta.dirname, "../../cli/src/main.ts");

test("a team of three is a command for each, and a link that each opens", async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-team-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "tokens.json");
  const made = new Map<string, string>();
  for (const name of ["ann", "bob", "cleo"]) {
    const words = ["serve", "tokens", "add", file, name, "--role", "approve", "--print"];
    const { stdout } = await promisify(execFile)(process.execPath, [
      "-C",
      "@toolmount/source",
      cli,
      ...words,
    ]);
    made.set(name, /tm_[\w-]+/.exec(stdout)![0]);
  }
  const { tokens } = JSON.parse(await readFile(file, "utf8")) as {
    tokens: Parameters<typeof createTokenCheck>[0];
  };
  expect([...made.keys()]).toEqual(tokens.map(({ name }) => name));
  const { server } = await serve(createWorld().host, { authenticate: createTokenCheck(tokens) });
  for (const [name, token] of made) {
    const { page } = await openPage(browser, server.url, token);
    await page.getByText(`live as ${name}`).waitFor();
    counts["a team of three, after a command for each"] = person(page).count;
  }
});

test("the guide has these counts", async () => {
  const guide = await readFile(join(import.meta.dirname, "../../../docs/operators-page.md"), "utf8");
  const rows = [...guide.matchAll(/^\| (.+?) +\| (\d+) +\| (\d+) +\|/gm)].map(
    ([, job = "", keys, clicks]) => [job, { keys: Number(keys), clicks: Number(clicks) }],
  );

  expect(Object.fromEntries(rows)).toEqual(counts);
});
