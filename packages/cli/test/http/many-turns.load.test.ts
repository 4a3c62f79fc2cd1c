import type { Page } from "playwright-core";
import { expect, onTestFinished, test, vi } from "vitest";
import { startBrowser } from "../../../page/test/support/browser.ts";
import { operatorFolder } from "../support/operator-world.ts";
import { startServer } from "../support/served.ts";

const count = 50;
const prompt = "Set the version to 2.0.0 and deploy it.";

async function openPage(url: string): Promise<{ page: Page; problems: string[] }> {
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(600_000); // only against hanging
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(url);
  return { page, problems };
}

test("fifty turns at once: the page shows each question, every turn ends, and the page stays live", async () => {
  const desk = await operatorFolder();
  const { tokens } = desk;
  const server = await startServer(desk, tokens);
  const { page, problems } = await openPage(`${server.url}/#token=${tokens.ops}`);
  await page.getByText("live as ops").waitFor();
  const ids = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const body = { prompt, sessionId: `many-${at}` };
      return String((await server.ask("POST", "/turns", body, { as: tokens.ana })).body["id"]);
    }),
  );
  const decided = new Set<string>();
  const decideAll = async () => {
    const { waiting } = (await server.ask("GET", "/approvals")).body as unknown as {
      waiting: { id: string }[];
    };
    for (const { id } of waiting.filter((one) => !decided.has(one.id))) {
      decided.add(id);
      await server.ask("POST", `/approvals/${id}/decision`, { decision: "approve" });
    }
    expect(decided.size).toBe(2 * count);
  };
  await vi.waitFor(decideAll, { timeout: 600_000, interval: 200 });
  const allDone = async () => {
    const turns = await Promise.all(
      ids.map((id) => server.ask("GET", `/turns/${id}`, undefined, { as: tokens.ana })),
    );
    expect(turns.map(({ body }) => body["status"])).toEqual(ids.map(() => "done"));
    return turns;
  };
  const turns = await vi.waitFor(allDone, { timeout: 600_000, interval: 200 });
  for (const { body } of turns) expect(body["result"]).toMatchObject({ calls: 3 });
  await page.getByText(`nothing waits · ${2 * count} answered`).waitFor();
  await page.goto(`${server.url}/#/sessions`);
  await page.locator(`a[href="#/sessions/ana%3Amany-${count - 1}"]`).waitFor();
  await page.getByText("live as ops").waitFor();
  expect(problems).toEqual([]);
}, 1_500_000);
