import type { ToolInfo } from "@toolmount/core";
import { matchesGlob } from "@toolmount/core/text";
import type { FlowMatch } from "./schema.ts";

/** Whether a line of `flows.into` is about a tool. */
export function fitsTool(match: FlowMatch, { name, owner, category, tags }: ToolInfo): boolean {
  return (
    fitsGlobs(match.tool, name) &&
    fitsGlobs(match.server, owner) &&
    fitsGlobs(match.category, category ?? "unclassified") &&
    (match.tag === undefined || tags.some((tag) => fitsGlobs(match.tag, tag)))
  );
}

export function fitsGlobs(globs: string | readonly string[] | undefined, text: string): boolean {
  if (globs === undefined) return true;
  return typeof globs === "string" ? matchesGlob(globs, text) : globs.some((glob) => matchesGlob(glob, text));
}
