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
    url: engineUrl.describe("The instance's address, e.g. http://localhost:8888"),
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

/** The module's config in a plan. */
export const config = z.strictObject({
  timeout: z
    .number()
    .min(0.1)
    .max(600)
    .default(10)
    .describe("Seconds that one fetch or search may take, including redirects"),
  default_limit: z
    .int()
    .min(100)
    .max(10_000_000)
    .default(204_800)
    .describe("Characters that a fetch returns by default"),
  max_download_bytes: bytes.default(10_485_760).describe("Most bytes to download"),
  max_decoded_bytes: bytes.default(20_971_520).describe("Most bytes after decompression"),
  max_redirects: z
    .int()
    .min(0)
    .max(20)
    .default(5)
    .describe("Redirects to follow; each is checked like the first address"),
  allowed_domains: z
    .array(domain)
    .default([])
    .describe("If not empty, only these names and names below them are allowed"),
  blocked_domains: z.array(domain).default([]).describe("These names and names below them are refused"),
  allowed_ports: z.array(z.int().min(1).max(65_535)).default([80, 443, 8080, 8443]).describe("Allowed ports"),
  allow_private: z
    .boolean()
    .default(false)
    .describe(
      "Whether addresses of this machine and of private networks are allowed; for tests and intranets",
    ),
  extract_timeout: z
    .number()
    .min(0.1)
    .max(600)
    .default(10)
    .describe("Seconds that converting one page to text may take, after its download"),
  extract_memory_mb: z
    .int()
    .min(128)
    .max(4096)
    .default(512)
    .describe("Megabytes that converting one page to text may use"),
  extract_text: z.boolean().default(true).describe("Whether HTML becomes Markdown; false returns its source"),
  user_agent: z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .default("toolmount/1.0")
    .describe("User agent of the requests"),
  max_results: z.int().min(1).max(50).default(5).describe("Results that a search returns by default"),
  engines: z.array(engine).max(10).default([]).describe("Search engines, tried in this order"),
});

/** The config as written in a plan. */
export type Settings = z.input<typeof config>;

/** The config with its defaults. */
export type ParsedSettings = z.output<typeof config>;

export type EngineSettings = ParsedSettings["engines"][number];
