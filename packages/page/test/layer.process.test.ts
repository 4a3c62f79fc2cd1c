import { AxeBuilder } from "@axe-core/playwright";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasLayer, project } from "../../../test/support/layer-project.ts";
import { startBrowser } from "./support/browser.ts";
import { live, openPage, type Window } from "./support/page.ts";
import { serve } from "./support/world.ts";

/** A picture of the docs, which a command takes: `pnpm pictures`. */
const picture = join(import.meta.dirname, "../../../docs/pictures/page/layer-desk-light.png");

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const many = "for i in $(seq 300); do echo $i > gen/f$i; done";
const work = `echo more >> a.txt; rm src/b.txt; echo 'export X=1' > .envrc; echo new > new.txt; mkdir gen; ${many}`;

/** A session that changed files, and the page that shows it. */
async function worked(window?: Window) {
  const world = await project();
  expect(await world.bash(work)).toBe("");
  const { server, tokens } = await serve({ default: { host: world.host, layers: world.layers } });
  const { page, problems } = await openPage(browser, server.url, tokens.operator, window);
  await live(page);
  const has = (name: string) => existsSync(join(world.folder, name));
  const waits = page.getByRole("region", { name: "Changes that wait" });
  return { ...world, server, tokens, page, problems, has, waits };
}

const violations = async (page: Awaited<ReturnType<typeof openPage>>["page"]) =>
  (await new AxeBuilder({ page }).setLegacyMode().analyze()).violations;

describe.runIf(hasLayer)("what waits in a layer, on the page", () => {
  test("is in the inbox, and is kept all with a yes of its own for deletions and obeyed files", async () => {
    const { page, waits, read, has, problems } = await worked();
    await page.getByRole("link", { name: /Keep 305 changes\?/ }).click();
    await waits.getByText("Nothing of this is final: 305 changes of files wait").waitFor();
    await waits.getByRole("region", { name: "Deleted" }).getByText("b.txt").waitFor();
    await waits.getByRole("button", { name: "create .envrc" }).click();
    expect(await waits.getByLabel("Difference of .envrc").innerText()).toBe("+export X=1");
    expect(await violations(page)).toEqual([]);
    await waits.getByRole("button", { name: "Keep 303 of 305" }).waitFor();
    if (process.env["TOOLMOUNT_WRITE"] === "1") await page.screenshot({ path: picture });
    await waits.getByLabel("Yes, 1 deletion, too").check();
    await waits.getByLabel("Yes, 1 change of what my next command runs or obeys, too").check();
    await waits.getByRole("button", { name: "Keep all" }).click();
    await page.getByText("305 changes kept.").waitFor();
    await waits.waitFor({ state: "detached" });
    expect([read("a.txt"), has("src/b.txt"), has(".envrc"), has("gen/f300")]).toEqual([
      "one\nmore\n",
      false,
      true,
      true,
    ]);
    await page
      .getByRole("region", { name: "Changes", exact: true })
      .getByRole("link", { name: "keep_changes" })
      .waitFor();
    expect(problems).toEqual([]);
  });

  test("is shown folder by folder, and some hundred entries at a time", async () => {
    const { page, waits, server, bash } = await worked();
    await bash("for i in $(seq 301 700); do echo $i > gen/f$i; done");
    await page.goto(`${server.url}/#/sessions/s`);
    await waits.getByText("Nothing of this is final: 705 changes").waitFor();
    await waits.getByText(/^\+\d+ −\d+ lines; 204 changes not counted$/).waitFor();
    const entries = waits.getByRole("button", { name: /^create f\d+$/ });
    expect(await waits.locator("input[type=checkbox]").count()).toBeLessThan(20);
    await waits.getByText("gen/ 701 changes").click();
    await waits.getByRole("button", { name: "Show more: 200 of 700 are not shown" }).click();
    expect(await entries.count()).toBe(700);
    await waits.getByLabel("All in gen/").check();
    await waits.getByRole("button", { name: "Keep chosen (701)" }).waitFor();
  });

  test("is kept in part with the keyboard alone, and the rest is dropped", async () => {
    const { page, waits, server, has, read } = await worked();
    await page.goto(`${server.url}/#/sessions/s`);
    const press = async (name: string | RegExp, role: "button" | "checkbox", key: string) => {
      await waits.getByRole(role, { name }).focus();
      await page.keyboard.press(key);
    };
    await press("Choose new.txt", "checkbox", "Space");
    await press("Choose src/b.txt", "checkbox", "Space");
    await waits.getByText("1 chosen change of a section without your yes will wait.").waitFor();
    await press("Keep chosen (1)", "button", "Enter");
    await page.getByText("1 change kept.").waitFor();
    await waits.getByText("Nothing of this is final: 304 changes of files wait").waitFor();
    expect([has("new.txt"), read("a.txt"), has("src/b.txt")]).toEqual([true, "one\n", true]);
    await press("Drop…", "button", "Enter");
    await press("Drop 304 changes", "button", "Enter");
    await page.getByText("304 changes dropped.").waitFor();
    await waits.waitFor({ state: "detached" });
    expect(has(".envrc")).toBe(false);
  });

  test("is live: what a person has begun to choose stays, and its answer is void", async () => {
    const { page, waits, server, bash, has } = await worked();
    await page.goto(`${server.url}/#/sessions/s`);
    await waits.getByText("Nothing of this is final: 305 changes").waitFor();
    await bash("echo x > live.txt");
    await waits.getByText("Nothing of this is final: 306 changes").waitFor();
    await waits.getByLabel("Choose new.txt").check();
    await bash("echo y > later.txt");
    await waits.getByText("The session has changed more since.").waitFor();
    await waits.getByRole("button", { name: "Keep chosen (1)" }).click();
    await page.getByText("It changed meanwhile, so nothing was done. Look again.").waitFor();
    await waits.getByText("Nothing of this is final: 307 changes").waitFor();
    expect(has("new.txt")).toBe(false);
    await waits.getByRole("button", { name: "Keep chosen (1)" }).click();
    await page.getByText("1 change kept.").waitFor();
    expect(has("new.txt")).toBe(true);
  });

  test("is kept in parts of a file", async () => {
    const { page, waits, server, bash, read, folder } = await worked();
    const lines = Array.from({ length: 30 }, (_, at) => `${at + 1}`);
    writeFileSync(join(folder, "long.txt"), `${lines.join("\n")}\n`);
    await bash("sed -i 's/^3$/three/; s/^20$/twenty/' long.txt");
    await page.goto(`${server.url}/#/sessions/s`);
    await waits.getByRole("button", { name: "change long.txt" }).click();
    await waits.getByLabel("Part 2 of 2").uncheck();
    expect(await violations(page)).toEqual([]);
    await waits.getByLabel("Choose long.txt").check();
    await waits.getByRole("button", { name: "Keep chosen (1)" }).click();
    await page.getByText("1 change kept.").waitFor();
    expect(read("long.txt")).toBe(`${lines.with(2, "three").join("\n")}\n`);
    await waits.getByRole("button", { name: "change long.txt" }).click();
    expect(await waits.getByLabel("Difference of long.txt", { exact: true }).innerText()).toContain(
      "-20\n+twenty",
    );
  });

  test.each(["light", "dark"] as const)(
    "fits a narrow window, %s, with all that needs its own yes",
    async (scheme) => {
      const { page, waits, server } = await worked({ width: 360, height: 740, scheme });
      await page.goto(`${server.url}/#/sessions/s`);
      await waits
        .getByRole("region", { name: "Run or obeyed by your next command" })
        .getByText(".envrc")
        .waitFor();
      await waits.getByRole("button", { name: "change a.txt" }).click();
      await waits.getByLabel("Difference of a.txt").waitFor();
      const wider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      expect(wider).toBe(false);
      expect(await violations(page)).toEqual([]);
    },
  );
});
