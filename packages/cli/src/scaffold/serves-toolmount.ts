import { basename } from "node:path";
import type { JsonObject } from "@toolmount/core";

/** Milliseconds in which a server on this machine must answer, so that it is known whether it is toolmount. */
const probeMs = 2_000;

/**
 * Returns why a server in another application's list counts as a plan that toolmount serves. Undefined if it is another server,
 * or if that cannot be known. `program` is the file of the program that runs now.
 */
export async function servesToolmount(
  { command, args, url }: JsonObject,
  program: string | undefined,
): Promise<string | undefined> {
  if (typeof command === "string")
    return runsServe([command, ...(Array.isArray(args) ? args.map(String) : [])], program)
      ? "it runs toolmount serve"
      : undefined;
  return typeof url === "string" && (await isServedHere(url)) ? "toolmount serves it here" : undefined;
}

/** Tests whether a command runs `toolmount serve`, even inside a command for a shell: `sh -c "npx toolmount serve"`. */
function runsServe(words: readonly string[], program: string | undefined): boolean {
  const all = words.flatMap((word) => [word, ...word.split(/[\s"']+/)]);
  const at = all.findIndex((word) => word === program || isToolmount(word));
  return at >= 0 && all.slice(at + 1).includes("serve");
}

/** Tests whether a word names toolmount's program: `toolmount`, `toolmount@1`, `toolmount.cmd`, or a file of the package. */
function isToolmount(word: string): boolean {
  const path = word.replaceAll("\\", "/");
  return (
    /^toolmount(?:@.*|\.\w+)?$/i.test(basename(path)) || /\/toolmount\/(?:dist|bin|src)\/[^/]+$/.test(path)
  );
}

/** Tests whether a server on this machine has the operator's page of toolmount at its root. */
async function isServedHere(url: string): Promise<boolean> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(address.hostname))
    return false;
  try {
    const response = await fetch(address.origin, { signal: AbortSignal.timeout(probeMs), redirect: "error" });
    return (await response.text()).includes("<title>toolmount</title>");
  } catch {
    return false; // without an answer it cannot be known
  }
}
