import { AxeBuilder } from "@axe-core/playwright";
import { data, defineTool } from "@toolmount/core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startBrowser } from "./support/browser.ts";
import { item, live, openPage, pane } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test("a question shows what its call would change now, or why that is not known; nothing runs", async () => {
  const { host } = createWorld();
  const ran: string[] = [];
  const drop = defineTool({
    name: "drop",
    description: "Deletes a folder. Use in tests.",
    category: "delete",
    consequenceLevel: "high",
    requiresConfirmation: true,
    schema: z.strictObject({ path: z.string(), token: z.string().optional() }),
    preview: ({ path }) => ({
      effects: [{ target: path, change: "delete" as const, difference: "-inv/a.txt\n-inv/b.txt" }],
      result: data("gone"),
    }),
    execute: ({ path }) => (ran.push(path), data("gone")),
  });
  host.coordinator.mount("tools", drop);
  const { server, tokens } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await host.call({ name: "drop", arguments: { path: "inv" } }, { sessionId: "s" });
  const change = pane(page).getByRole("region", { name: "What it would change" });

  await change.getByLabel("Difference of inv").waitFor();

  expect(await change.innerText()).toMatch(/delete inv[\s\S]*-inv\/a\.txt\n-inv\/b\.txt/);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await host.call({ name: "drop", arguments: { path: "out", token: "hunter2" } }, { sessionId: "s" });
  await item(page, "out").click();
  await change.getByText("a value of its arguments is masked").waitFor();
  expect([ran, problems]).toEqual([[], []]);
});
