import { z } from "zod";

const domain = z
  .string()
  .regex(/^[^\s/:@?#[\]]+$/, "a name such as example.com, without scheme, port or path")
  .max(253);
const bytes = z.int().min(1000).max(268_435_456);
const engineUrl = z.url({ protocol: /^https?$/ });

const engine = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("searxng"),
    url: engineUrl.describe("Where the instance answers, e.g. http://localhost:8888"),
  }),
  z.strictObject({
    type: z.literal("brave"),
    api_key: z.string().min(1),
    url: engineUrl.default("https://api.search.brave.com/res/v1/web/search"),
  }),
  z.strictObject({
    type: z.literal("tavily"),
    api_key: z.string().min(1),
    url: engineUrl.default("https://api.tavily.com/search"),
  }),
]);

/** What a plan may set for this module. */
export const config = z.strictObject({
  timeout: z
    .number()
    .min(0.1)
    .max(600)
    .default(10)
    .describe("Seconds that one fetch or search may take, redirects and all"),
  default_limit: z
    .int()
    .min(100)
    .max(10_000_000)
    .default(204_800)
    .describe("Characters that a fetch gives when the call does not say"),
  max_download_bytes: bytes.default(10_485_760).describe("Most bytes on the wire"),
  max_decoded_bytes: bytes.default(20_971_520).describe("Most bytes after decompression"),
  max_redirects: z
    .int()
    .min(0)
    .max(20)
    .default(5)
    .describe("Redirects that are followed, each judged like the first address"),
  allowed_domains: z
    .array(domain)
    .default([])
    .describe("When not empty, only these and the names below them"),
  blocked_domains: z.array(domain).default([]).describe("Never these, nor the names below them"),
  allowed_ports: z
    .array(z.int().min(1).max(65_535))
    .default([80, 443, 8080, 8443])
    .describe("Ports that may be asked"),
  allow_private: z
    .boolean()
    .default(false)
    .describe(
      "Whether addresses of this machine and of private networks may be asked too; for tests and intranets",
    ),
  extract_text: z
    .boolean()
    .default(true)
    .describe("Whether a page becomes readable text; false gives its source"),
  user_agent: z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .default("toolmount/1.0")
    .describe("What requests say they come from"),
  max_results: z.int().min(1).max(50).default(5).describe("Results of a search when the call does not say"),
  engines: z.array(engine).max(10).default([]).describe("Search engines, tried in this order"),
});

/** A plan's settings, as they are written. */
export type Settings = z.input<typeof config>;

/** Settings with their defaults. */
export type ParsedSettings = z.output<typeof config>;

export type EngineSettings = ParsedSettings["engines"][number];
