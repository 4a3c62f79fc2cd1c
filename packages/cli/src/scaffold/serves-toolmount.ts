import { basename } from "node:path";
import type { JsonObject } from "@toolmount/core";

/** Milliseconds that a server on this machine has to say that it is toolmount. */
const probeMs = 2_000;

/**
 * Says why a server of another application's list is a plan that toolmount serves; undefined when it is something else, or
 * when that cannot be known. `program` is the file that runs now.
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

/** Words of a shell command count, too: `sh -c "npx toolmount serve"`. */
function runsServe(words: readonly string[], program: string | undefined): boolean {
  const all = words.flatMap((word) => [word, ...word.split(/[\s"']+/)]);
  const at = all.findIndex((word) => word === program || isToolmount(word));
  return at >= 0 && all.slice(at + 1).includes("serve");
}

/** `toolmount`, `toolmount@1`, `toolmount.cmd`, and files of the package of that name. */
function isToolmount(word: string): boolean {
  const path = word.replaceAll("\\", "/");
  return (
    /^toolmount(?:@.*|\.\w+)?$/i.test(basename(path)) || /\/toolmount\/(?:dist|bin|src)\/[^/]+$/.test(path)
  );
}

/** Whether the operators' page of toolmount is at the root of an address of this machine. */
async function isServedHere(url: string): Promise<boolean> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(address.hostname))
    return false;
  try {
    const response = await fetch(address.origin, { signal: AbortSignal.timeout(probeMs), redirect: "error" });
    return (await response.text()).includes("<title>toolmount</title>");
  } catch {
    return false; // nothing answers: it cannot be known
  }
}
