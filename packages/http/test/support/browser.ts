import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserServer } from "playwright-core";

/** Where scripts/system-packages.sh and the usual installers put it. */
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Its sandbox does not start for root. */
function launchOptions() {
  const executablePath = places.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error("Chromium is not on this machine; scripts/system-packages.sh installs it");
  return { executablePath, args: ["--no-sandbox"] };
}

/** Chromium for many test files; each connects by its address. */
export function serveBrowser(): Promise<BrowserServer> {
  return chromium.launchServer({ ...launchOptions(), host: "127.0.0.1" });
}

/** The Chromium that `npm test` has started for all files (`TOOLMOUNT_BROWSER`), or else one for this file. */
export async function startBrowser(): Promise<Browser> {
  const shared = process.env["TOOLMOUNT_BROWSER"];
  return shared === undefined ? chromium.launch(launchOptions()) : chromium.connect(shared);
}
