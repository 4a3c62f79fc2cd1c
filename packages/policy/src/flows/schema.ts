import { z } from "zod";
import { fitsTool, toolMatch, type ToolMatch } from "../match/match.ts";

const glob = z.string().min(1).max(200);

/** How much a result, or a field of it, can be trusted, by who wrote it. */
const trust = z.enum(["trusted", "structured", "contact", "identity", "untrusted"], {
  error: "the trust of a result is trusted, structured, contact, identity or untrusted",
});

/** The trust that the labels of an MCP server give to its results. They may lower the trust, but never raise it. */
const labels = "_meta.ifc";

const results = z
  .strictObject({
    match: toolMatch.pick({ tool: true, server: true }),
    /** The trust of every field that `fields` does not name. */
    trust: z
      .enum([...trust.options, labels], {
        error: `the trust of a result is trusted, structured, contact, identity, untrusted or ${labels}`,
      })
      .optional(),
    /** The trust of fields by path: `*.sender`, `*.participants.*`. The path of a member begins with a dot. */
    fields: z.record(glob, trust).optional(),
    /** `user` means that only the user sees these results. Content for other people must contain nothing of them. */
    audience: z.literal("user").optional(),
  })
  .refine((line) => line.trust !== undefined || line.fields !== undefined || line.audience !== undefined, {
    error: "a line about results says `trust`, `fields` or `audience`",
  });

/** The default of `from`. */
export const ownSources = ["user", "identity", "trusted", "contact", "structured"] as const;

/** Where a value may come from. */
const source = z.enum(
  [
    "user",
    "identity",
    "trusted",
    "structured",
    "contact",
    /** A link to a host that the user named. */
    "sameHost",
    /** A link to a host that the user named, if a result showed exactly this link. */
    "shownLink",
    /** A value with parts, such as `owner/name` or a path, whose last part the user named. */
    "lastPart",
    /** The whole text of a result, such as a file, if the user's own words chose what was read. */
    "whole",
  ],
  {
    error: "a source is user, identity, trusted, structured, contact, sameHost, shownLink, lastPart or whole",
  },
);

const word = z.string().min(2).max(60);

const into = z.strictObject({
  match: toolMatch,
  /** Arguments that decide where the effect goes; default: the arguments that the tool declares. */
  control: z.array(z.string().min(1)).optional(),
  /** Arguments that are only transported; default: the arguments that the tool declares. */
  content: z.array(z.string().min(1)).optional(),
  /**
   * Who sees the content: only the user (`user`), or the people whom these arguments name. Content that only the user sees may
   * contain other people's text. Default: other people see it.
   */
  audience: z.union([z.literal("user"), z.array(z.string().min(1)).min(1)]).optional(),
  /** Where the values of `control` may come from. */
  from: z
    .array(source)
    .min(1)
    .default([...ownSources]),
  /**
   * `user`: the user's words must name the action, as the tool's name states it. A list: they must have one of these words. A
   * list of lists: one word of each list.
   */
  intent: z.union([z.literal("user"), z.array(word).min(1), z.array(z.array(word).min(1)).min(1)]).optional(),
  /** The answer if a value, its content or the intent is not accepted. */
  else: z.enum(["ask", "deny", "allow"]).default("ask"),
  reason: z.string().min(1).max(500).optional(),
});

/** The section `flows` of a policy. `on` means that only the declarations of the tools apply. */
export const flows = z.union([
  z.literal("on").transform(() => ({ identity: [], mcpUsers: [], words: {}, results: [], into: [] })),
  z.strictObject({
    /** Values that belong to the user, such as addresses and accounts. */
    identity: z.array(z.string().min(1).max(500)).max(1_000).default([]),
    /**
     * Globs of users whose MCP clients are believed when they send the user's words. `*` also matches calls without a user.
     */
    mcpUsers: z.array(glob).default([]),
    /** What users may write for a word of a tool's name, in addition to English words: `send: [schicke, sende]`. */
    words: z.record(z.string().min(1).max(60), z.array(z.string().min(1).max(60)).min(1)).default({}),
    results: z.array(results).default([]),
    into: z.array(into).default([]),
  }),
]);

/** `flows` of a policy, parsed. */
export type FlowsConfig = z.output<typeof flows>;
/** One line of `flows.into`, parsed. */
export type FlowLine = z.output<typeof into>;
/** One line of `flows.results`, parsed. */
export type ResultLine = z.output<typeof results>;
export type Source = z.output<typeof source>;
export type Trust = z.output<typeof trust>;

/** Whether a line takes the trust from the labels of a server. */
export function isLabelled(line: ResultLine): boolean {
  return line.trust === labels;
}

/** Returns the trusts that a line gives: to every field, and to each field that it names. */
export function trustsOf({ trust: whole, fields = {} }: ResultLine): readonly Trust[] {
  return [...(whole === undefined || whole === labels ? [] : [whole]), ...Object.values(fields)];
}

/** Whether a match of `results` selects a result. */
export function fitsResult(
  match: ToolMatch,
  { tool, owner }: { readonly tool: string; readonly owner: string },
): boolean {
  return fitsTool(match, { name: tool, owner, tags: [] });
}
