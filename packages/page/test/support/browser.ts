import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

/** Where scripts/system-packages.sh and the usual installers put it. */
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Its sandbox does not start for root. */
function launchOptions() {
  const executablePath = places.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error("Chromium is not on this machine; scripts/system-packages.sh installs it");
  return { executablePath, args: ["--no-sandbox"] };
}

/** Starts Chromium for one test file: one that served a whole run ended in the middle of it. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions());
}
