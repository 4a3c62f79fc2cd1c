import { Refusal } from "./refusal.ts";
import type { Workspace } from "./workspace.ts";

/** `@bundle:path`; a name that only begins with `@`, such as `@types/node`, is a path like any other. */
const mention = /^@[A-Za-z0-9._-]+:./;

/** The path that was meant. What a mention leads to is judged like any path. */
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
