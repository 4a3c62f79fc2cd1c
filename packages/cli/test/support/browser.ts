import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** How the browser's window is. */
export interface Window {
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
}

/** Opens the operator's page by the address that the server prints, and waits until it is live. */
export async function openPage(
  browser: Browser,
  url: string,
  token: string,
  { width, height, scheme }: Window = { width: 1440, height: 900, scheme: "light" },
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(20_000); // only against hanging
  const page = await context.newPage();
  await page.goto(`${url}/#token=${token}`);
  await page.getByText(/^live as /i).waitFor();
  return page;
}

/** The windows of the pictures, which a command takes: `pnpm pictures`. */
export const windows = [
  { name: "desk-light", width: 1440, height: 900, scheme: "light" },
  { name: "desk-dark", width: 1440, height: 900, scheme: "dark" },
  { name: "phone-light", width: 390, height: 844, scheme: "light" },
  { name: "phone-dark", width: 390, height: 844, scheme: "dark" },
] as const;
