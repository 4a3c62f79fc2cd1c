import { Refusal } from "./refusal.ts";
import type { Workspace } from "./workspace.ts";

/** Matches `@bundle:path`. A name that only begins with `@`, such as `@types/node`, is an ordinary path. */
const mention = /^@[A-Za-z0-9._-]+:./;

/** Returns the path that was meant. The path to which a mention leads is checked like any other. */
export async function resolvePath({ resolveMention }: Workspace, given: string): Promise<string> {
  if (!mention.test(given)) return given;
  const resolve = resolveMention();
  if (resolve === undefined)
    throw new Refusal(
      "@mention paths require mention_resolver capability (not available)",
      "MENTION_UNAVAILABLE",
    );
  const path = await resolve(given);
  if (path === null || path === undefined) throw new Refusal(`@mention not found: ${given}`, "NOT_FOUND");
  return String(path);
}
