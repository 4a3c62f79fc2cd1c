import type { Browser, BrowserContext, Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** How the browser's window is. */
export interface Window {
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
}

/** A window of its own, which `prepare` may change before the page is opened in it. */
interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the page, without those of requests that the network refused. */
  readonly problems: string[];
}

/** Opens the page with a token in the fragment. */
export async function openPage(
  browser: Browser,
  url: string,
  token: string,
  { width, height, scheme }: Window = { width: 1440, height: 900, scheme: "light" },
  prepare: (context: BrowserContext) => Promise<unknown> = async () => {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(240_000); // only against hanging
  await prepare(context);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("net::ERR")) problems.push(message.text());
  });
  await page.goto(`${url}/#token=${token}`);
  return { page, context, problems };
}

/** The item of a question in the list, by a text of its sentence. */
export const item = (page: Page, text: string) =>
  page.getByRole("region", { name: "Waiting" }).getByRole("link").filter({ hasText: text });

/** The question that is shown, with its answers. */
export const pane = (page: Page) => page.locator(".pane");

/** Opens a question of the list. */
export async function openQuestion(page: Page, text: string): Promise<void> {
  await item(page, text).click();
  await pane(page).getByRole("heading", { name: text }).waitFor();
}

/** Waits until the page of the operator is connected. */
export const live = (page: Page) => page.getByText("live as operator").waitFor();
