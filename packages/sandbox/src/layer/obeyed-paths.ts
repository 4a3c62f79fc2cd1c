import { existsSync } from "node:fs";
import { prepareRules } from "@toolmount/paths";
import { pathOfText } from "../system/file-names.ts";
import { within } from "../system/mark.ts";

/**
 * Returns a test for paths that the next command would run or obey, by the rules of the file tools. A pattern `**` + `/(a,b)`
 * means a folder that has both entries, in the layer's view or on disk.
 */
export function obeyedIn(
  folder: string,
  obeyed: readonly string[],
): (view: string) => (path: string) => boolean {
  const sets = obeyed.filter((path) => path.startsWith("**/("));
  const entries = sets.map((path) => path.slice("**/(".length, -1).split(","));
  const deniedWrite = obeyed.filter((path) => !sets.includes(path));
  const rules = prepareRules({ workingDir: folder, read: [], write: [folder], deniedWrite });
  return (view) => {
    const exists = (at: string) => [folder, view].some((root) => existsSync(pathOfText(within(root, at))));
    const isObeyed = remembered(
      (at) =>
        rules.objection(within(folder, at), "write") === "denied" ||
        entries.some((names) => names.every((name) => exists(within(at, name)))),
    );
    const isIn = remembered((at): boolean => isObeyed(at) || (at !== "" && isIn(parentOf(at))));
    return (path) => isIn(parentOf(path)) || rules.objection(within(folder, path), "write") === "denied";
  };
}

/** Wraps a test so that it is asked only once for each folder. */
function remembered(ask: (at: string) => boolean): (at: string) => boolean {
  const known = new Map<string, boolean>();
  return (at) => {
    const answer = known.get(at) ?? ask(at);
    known.set(at, answer);
    return answer;
  };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
