import { spawn } from "node:child_process";

/** Asks the desktop to open an address. Resolves to false if the program for this cannot be started. */
export function openBrowser(address: URL): Promise<boolean> {
  const [command, ...args] = openerOf(process.platform);
  return new Promise((resolve) => {
    const child = spawn(command ?? "", [...args, address.href], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Returns the program that opens an address, and its first arguments. */
export function openerOf(platform: NodeJS.Platform): readonly string[] {
  return openers[platform] ?? ["xdg-open"];
}

/**
 * Programs that open an address, by platform. On Windows it is not `cmd.exe`, which would interpret characters of the address.
 */
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
