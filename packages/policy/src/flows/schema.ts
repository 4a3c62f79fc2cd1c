import { z } from "zod";

const oneOrMore = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.array(schema).min(1)]);

const glob = z.string().min(1).max(200);

/** Which tools a line is about; all that it names must fit. Texts are globs. */
const match = z.strictObject({
  tool: oneOrMore(glob).optional(),
  tag: oneOrMore(glob).optional(),
  /** The id of the plan's entry that mounts the tool. */
  server: oneOrMore(glob).optional(),
  category: oneOrMore(z.enum(["read", "write", "delete", "side_effect", "unclassified"])).optional(),
});

/** Whose results a line is about. */
const resultMatch = z.strictObject({ tool: oneOrMore(glob).optional(), server: oneOrMore(glob).optional() });

/** Whose words a result, or a field of it, carries. */
const trust = z.enum(["trusted", "structured", "contact", "identity", "untrusted"], {
  error: "the trust of a result is trusted, structured, contact, identity or untrusted",
});

const results = z.union([
  z
    .strictObject({
      match: resultMatch,
      /** Of every field that `fields` does not name. */
      trust: trust.optional(),
      /** By path: `*.sender`, `*.participants.*`; the path of a member begins with a point. */
      fields: z.record(glob, trust).optional(),
      /** `user`: only the user sees these results. Content for other people may hold nothing of them, whatever its trust. */
      audience: z.literal("user").optional(),
    })
    .refine((line) => line.trust !== undefined || line.fields !== undefined || line.audience !== undefined, {
      error: "a line about results says `trust`, `fields`, `audience` or `from`",
    }),
  z.strictObject({
    match: resultMatch,
    /** The labels that an MCP server sends with a result. They may lower the trust, never raise it. */
    from: z.literal("_meta.ifc"),
  }),
]);

/** Where a value may come from. */
const source = z.union(
  [
    z.enum(["user", "identity", "trusted", "structured", "contact"]),
    /** A link to a host that the user named; `shown: verbatim`, if a result showed exactly this link. */
    z.strictObject({ sameHost: z.literal("user"), shown: z.literal("verbatim").optional() }),
    /** A value of a result whose last part, after `/`, the user named. */
    z.strictObject({ lastPart: z.literal("user") }),
    /** The whole text of a result, such as a file, that the user's own words chose. */
    z.strictObject({ whole: z.literal("user") }),
  ],
  {
    error:
      "a source is user, identity, trusted, structured, contact, { sameHost: user }, { lastPart: user } or { whole: user }",
  },
);

const word = z.string().min(2).max(60);

const into = z.strictObject({
  match,
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
export type FlowMatch = z.output<typeof match>;
export type Source = z.output<typeof source>;
export type Trust = z.output<typeof trust>;
