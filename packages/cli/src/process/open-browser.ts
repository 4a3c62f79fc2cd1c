import { spawn } from "node:child_process";

/** Asks the desktop to open an address. Resolves to false where there is no program for that. */
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

/** The program that opens an address, and its first arguments. */
export function openerOf(platform: NodeJS.Platform): readonly string[] {
  return openers[platform] ?? ["xdg-open"];
}

/** An address holds characters that cmd.exe would read as its own, so Windows gets it by another way. */
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
