import { z } from "zod";
import { fitsTool, toolMatch, type ToolMatch } from "../match/match.ts";

const glob = z.string().min(1).max(200);

/** Whose words a result, or a field of it, carries. */
const trust = z.enum(["trusted", "structured", "contact", "identity", "untrusted"], {
  error: "the trust of a result is trusted, structured, contact, identity or untrusted",
});

/** The trust that the labels of an MCP server give its results. They may lower the trust, never raise it. */
const labels = "_meta.ifc";

const results = z
  .strictObject({
    match: toolMatch.pick({ tool: true, server: true }),
    /** Of every field that `fields` does not name. */
    trust: z
      .enum([...trust.options, labels], {
        error: `the trust of a result is trusted, structured, contact, identity, untrusted or ${labels}`,
      })
      .optional(),
    /** By path: `*.sender`, `*.participants.*`; the path of a member begins with a point. */
    fields: z.record(glob, trust).optional(),
    /** `user`: only the user sees these results. Content for other people may hold nothing of them, whatever its trust. */
    audience: z.literal("user").optional(),
  })
  .refine((line) => line.trust !== undefined || line.fields !== undefined || line.audience !== undefined, {
    error: "a line about results says `trust`, `fields` or `audience`",
  });

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
    /** A link to a host that the user named, as a result showed it. */
    "shownLink",
    /** A value of a result whose last part, after `/`, the user named. */
    "lastPart",
    /** The whole text of a result, such as a file, that the user's own words chose. */
    "whole",
  ],
  {
    error: "a source is user, identity, trusted, structured, contact, sameHost, shownLink, lastPart or whole",
  },
);

const word = z.string().min(2).max(60);

const into = z.strictObject({
  match: toolMatch,
  /** Arguments that decide where the effect goes; default: those that the tool declares. */
  control: z.array(z.string().min(1)).optional(),
  /** Arguments that are carried there; default: those that the tool declares. */
  content: z.array(z.string().min(1)).optional(),
  /**
   * Who sees the content: only the user (`user`), or the people whom these arguments name. Content that only the user sees may
   * hold other people's text. Default: other people see it.
   */
  audience: z.union([z.literal("user"), z.array(z.string().min(1)).min(1)]).optional(),
  /** Where the values of `control` may come from. */
  from: z.array(source).min(1).default(["user", "identity", "trusted", "contact", "structured"]),
  /**
   * `user`: the user's words must name the action, as the tool's name says it. A list: one of these words. A list of lists:
   * a word of each list.
   */
  intent: z.union([z.literal("user"), z.array(word).min(1), z.array(z.array(word).min(1)).min(1)]).optional(),
  /** The answer when a value, its content or the intent is not accepted. */
  else: z.enum(["ask", "deny", "allow"]).default("ask"),
  reason: z.string().min(1).max(500).optional(),
});

/** `flows` of a policy. `on`: only what the tools declare. */
export const flows = z.union([
  z.literal("on").transform(() => ({ identity: [], mcpUsers: [], words: {}, results: [], into: [] })),
  z.strictObject({
    /** Values of the user's own: addresses, accounts. */
    identity: z.array(z.string().min(1).max(500)).max(1_000).default([]),
    /**
     * Users whose MCP clients are believed when they send the user's words; globs. `*` also means calls without a user.
     */
    mcpUsers: z.array(glob).default([]),
    /** What the user may write for a word of a tool's name, beside its English words: `send: [schicke, sende]`. */
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

/** Whether a line follows the labels of a server. */
export function isLabelled(line: ResultLine): boolean {
  return line.trust === labels;
}

/** What a line says of every field, and of each that it names. */
export function trustsOf({ trust: whole, fields = {} }: ResultLine): readonly Trust[] {
  return [...(whole === undefined || whole === labels ? [] : [whole]), ...Object.values(fields)];
}

/** Whether a line about results is about one. */
export function fitsResult(
  match: ToolMatch,
  { tool, owner }: { readonly tool: string; readonly owner: string },
): boolean {
  return fitsTool(match, { name: tool, owner, tags: [] });
}
