import type { ToolInfo } from "@toolmount/core";
import { z } from "zod";
import { fitsName, fitsNames, type Members } from "./pattern.ts";

const oneOrMore = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.array(schema).min(1)]);

const glob = z.string().min(1);

/** Returns a schema for one of the words, or for a word after `!`, which means every other word. */
function wordOf<Word extends string>(...words: readonly Word[]) {
  return z.enum([...words, ...words.map((word) => `!${word}` as const)]);
}

/** Selects the tools of a rule or a flow; every named member must fit. Texts are globs with `*` and `?`; a leading `!` negates. */
export const toolMatch = z.strictObject({
  /** The name under which the tool is offered. */
  tool: oneOrMore(glob).optional(),
  tag: oneOrMore(glob).optional(),
  /** The id of the plan's entry that mounts the tool. */
  server: oneOrMore(glob).optional(),
  category: oneOrMore(wordOf("read", "write", "delete", "side_effect", "unclassified")).optional(),
  consequence: oneOrMore(wordOf("low", "medium", "high", "unclassified")).optional(),
});

export type ToolMatch = z.output<typeof toolMatch>;

/** Selects the calls of a rule: by the tool, the mode, the user and the arguments. */
export const callMatch = toolMatch.extend({
  mode: oneOrMore(glob).optional(),
  user: oneOrMore(glob).optional(),
  /** Patterns over the parsed arguments, by name. */
  arguments: z.record(z.string(), z.json()).optional(),
});

/** The facts that a match is compared with. Of a kept result, only the name and the owner of its tool are known. */
type Matched = Pick<ToolInfo, "name" | "owner" | "tags"> &
  Partial<Pick<ToolInfo, "category" | "consequenceLevel">>;

/** Tests the parts of a match that depend only on the tool. */
export function fitsTool(match: ToolMatch, tool: Matched, members: Members = "some"): boolean {
  const { tool: names, tag: tags, server, category, consequence } = match;
  return (
    (names === undefined || fitsName(names, tool.name, members)) &&
    (tags === undefined || fitsNames(tags, tool.tags)) &&
    (server === undefined || fitsName(server, tool.owner, members)) &&
    (category === undefined || fitsName(category, tool.category ?? "unclassified", members)) &&
    (consequence === undefined || fitsName(consequence, tool.consequenceLevel ?? "unclassified", members))
  );
}
