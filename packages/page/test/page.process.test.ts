import { AxeBuilder } from "@axe-core/playwright";
import { createMemoryStore } from "@toolmount/core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "./support/browser.ts";
import { live, openPage } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test("the token leaves the address, and a reload keeps it", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);

  expect(page.url()).not.toContain(tokens.operator);
  await page.reload();
  await live(page);
  expect(await page.context().cookies()).toEqual([]);
});

test("after a restart of the server the page connects again, and meanwhile it does not say that nothing waits", async () => {
  const store = createMemoryStore();
  const first = createWorld({ store });
  const { server, tokens } = await serve(first.host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByText("Nothing waits for an answer.").waitFor();

  await server.close({ graceMs: 0 });
  await page.getByText("it is not known what waits").waitFor();
  expect(await page.getByText("Nothing waits for an answer.").count()).toBe(0);
  const second = createWorld({ store });
  await second.host.call({ name: "wipe" }, { sessionId: "s" });
  await serve(second.host, { listen: { host: "127.0.0.1", port: server.port } }, tokens);

  await page.getByRole("article", { name: "Wipe" }).waitFor();
});

test("a page of another origin reads nothing and changes nothing", async () => {
  const { host, started } = createWorld();
  const { server, tokens } = await serve(host);
  const { server: other } = await serve(createWorld().host);
  const { page } = await openPage(browser, other.url, "tm_of_the_other_site");
  const seen = await page.evaluate(
    async ([url, token]) => {
      const body = JSON.stringify({ tool: "echo" });
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const tries = [
        fetch(`${url}/api/v1/hosts`, { headers }),
        fetch(`${url}/api/v1/hosts/default/calls`, { method: "POST", headers, body }),
        fetch(`${url}/api/v1/hosts/default/calls`, { method: "POST", mode: "no-cors", body }),
      ];
      const answers = await Promise.allSettled(tries);
      return answers.map((answer) => (answer.status === "fulfilled" ? answer.value.type : "refused"));
    },
    [server.url, tokens.operator] as const,
  );

  expect(seen.every((type) => type === "refused" || type === "opaque")).toBe(true);
  expect(started).toEqual([]);
});

const views = ["inbox", "calls", "sessions", "plan", "try"] as const;

test.each([
  { name: "desk-light", width: 1440, height: 900, scheme: "light" },
  { name: "desk-dark", width: 1440, height: 900, scheme: "dark" },
  { name: "phone-light", width: 360, height: 740, scheme: "light" },
  { name: "phone-dark", width: 360, height: 740, scheme: "dark" },
] as const)(
  "axe finds nothing in any view, and nothing is wider than the window: $name",
  async ({ width, height, scheme }) => {
    const { host } = createWorld();
    const { server, tokens } = await serve({ default: { host, plan: samplePlan, turns: sampleTurns } });
    await host.call(
      { name: "wipe", arguments: { text: "the old build" } },
      { sessionId: "demo", userId: "ana" },
    );
    for (let at = 0; at < 20; at++)
      await host.call({ name: at % 5 === 0 ? "nope" : "echo" }, { sessionId: "demo" });
    const { page, problems } = await openPage(browser, server.url, tokens.operator, {
      width,
      height,
      scheme,
    });
    await live(page);
    for (const view of views) {
      await page.goto(`${server.url}/#/${view}`);
      await page.locator("h1").waitFor();
      if (view === "calls") await page.getByRole("button", { name: /echo/ }).first().click();
      if (view === "try") await page.getByRole("button", { name: /^Call / }).click();
      if (view === "plan") await page.getByRole("button", { name: "Why echo?" }).click();
      if (view === "sessions") await page.getByRole("link", { name: "Clean the builds" }).click();
      if (view === "sessions") await page.getByText("No output yet.").waitFor();
      if (view === "plan") await page.getByRole("region", { name: "Why echo" }).waitFor();
      if (view === "calls" || view === "try") await page.locator(".value:visible").first().waitFor();
      if (view === "inbox") await page.locator(".item").first().click();
      if (view === "inbox") await page.locator(".args").waitFor();
      if (view === "inbox") await page.locator("[data-decides]:not([aria-disabled])").waitFor();
      for (const key of view === "inbox" ? ["", "r", "e", "x"] : [""]) {
        if (key !== "") await page.locator("#question").press(key);
        const found = await new AxeBuilder({ page }).setLegacyMode().analyze();
        expect(found.violations.map(({ id, nodes }) => `${view} ${key} ${id}: ${nodes[0]?.html}`)).toEqual(
          [],
        );
      }
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      expect(wide, view).toBeLessThanOrEqual(0);
    }
    expect(problems).toEqual([]);
  },
);

test("the whole page is smaller than 100 KB compressed", async () => {
  const { server } = await serve(createWorld().host);
  let bytes = 0;
  const { page } = await openPage(browser, server.url, "none_at_all");
  page.on("response", (response) => void (bytes += Number(response.headers()["content-length"] ?? 0)));
  await page.reload({ waitUntil: "networkidle" });

  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(100_000);
});

const position = { file: "mount-plan.yaml", line: 3, column: 5 };

/** A plan and a session as the loader and the reasoner describe them. */
const samplePlan = {
  status: () => ({
    state: "open",
    plan: { file: "mount-plan.yaml", name: "sample" },
    generation: 1,
    entries: [
      {
        id: "echo",
        section: "tools",
        specifier: "./echo.ts",
        state: "mounted",
        tools: ["echo", "wipe"],
        problems: [],
        position,
      },
      {
        id: "weather",
        section: "tools",
        specifier: "@acme/weather",
        state: "failed",
        tools: [],
        problems: [{ code: "SOURCE_NOT_FOUND", message: 'module "@acme/weather" was not found' }],
        position,
      },
    ],
    lockChanges: [
      {
        tool: "wipe",
        change: "changed",
        differences: [{ path: "description", before: "Asks first.", now: "Asks last." }],
      },
    ],
    reloadProblems: [],
  }),
  effective: async () => ({ files: ["mount-plan.yaml"], value: {}, values: [], problems: [] }),
  why: async () => ({
    tools: [
      {
        origins: [{ what: "module", value: "./echo.ts", position }],
        answers: [{ policy: "level", answer: { answer: "allow", rule: "mount-plan.yaml:9:5" } }],
      },
    ],
  }),
  digest: () => "5c1d93ab12ef",
  reload: async () => ({ generation: 2, mounted: [] }),
};

const usage = { requests: 2, inputTokens: 1200, outputTokens: 80 };
const session = {
  id: "demo",
  parentId: null,
  agent: null,
  title: "Clean the builds",
  turns: 1,
  status: "open",
  waits: 1,
  usage,
  updatedAt: 0,
  forkedFrom: null,
  cost: { amount: 0.0023, currency: "USD" },
};

const sampleTurns = {
  list: async () => [session],
  lastTurn: async () => null,
  show: async () => ({
    ...session,
    children: [],
    waiting: [{ tool: "wipe", waitsFor: "approval", callId: "c1" }],
    items: [
      { type: "message", role: "user", content: "Clean the builds" },
      { type: "function_call", name: "wipe", arguments: '{"text":"the old build"}' },
    ],
  }),
  owner: async () => null,
  run: async () => ({}),
  resume: async () => ({}),
  fork: async () => session,
};
