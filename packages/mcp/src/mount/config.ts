import { z } from "zod";
import { authSettings } from "../auth/settings.ts";

/** A time in milliseconds, at most the longest delay that a timer can hold. */
const timer = z
  .int()
  .positive()
  .max(2 ** 31 - 1);
const paths = z.array(z.string().min(1)).default([]);
const texts = z.record(z.string(), z.string());

const classification = z.strictObject({
  category: z.enum(["read", "write", "delete", "side_effect"]).optional().describe("What it does."),
  consequence: z.enum(["low", "medium", "high"]).optional().describe("How bad it is where it goes wrong."),
  confirm: z.boolean().optional().describe("Whether a person is asked before it runs."),
  idempotent: z.boolean().optional().describe("Running it twice is as good as once."),
});

/** Settings that the loader fills in from the plan's entry. */
const ofEntry = {
  /** The id of the entry. */
  name: z.string().min(1),
  /** Whether the plan needs the server. If not, the host opens without it and tries to connect until the server answers. */
  required: z.boolean().default(true),
  /** The prefix of the entry's tools. */
  prefix: z.string().optional(),
};

/** Checks what a plan says about an MCP server: `source: { mcp: { … } }`. */
export const config = z
  .strictObject({
    ...ofEntry,
    command: z.string().min(1).optional().describe("A server over stdio: its program."),
    args: z.array(z.string()).default([]).describe("Words for the program."),
    env: texts
      .default({})
      .describe(
        "Variables of the program, beside `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM`, `USER` and those for proxies, certificates and registries without credentials; it gets no others.",
      ),
    cwd: z.string().optional().describe("Working folder of the program. Without it, the plan's folder."),
    border: z
      .enum(["none", "bubblewrap"])
      .default("none")
      .describe(
        "What keeps the program from the machine. `bubblewrap`: it reads only its own code and what is granted, and has no network.",
      ),
    read: paths.describe("Behind a border: paths relative to the plan that the program may read."),
    write: paths.describe("Behind a border: paths relative to the plan that the program may change."),
    network: z
      .enum(["none", "any"])
      .default("none")
      .describe("Behind a border: whether the program may use the network."),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("A server over HTTP: its address."),
    headers: texts.default({}).describe("Sent with each request to a server over HTTP."),
    auth: authSettings
      .prefault({})
      .describe("How to sign in to a server over HTTP: `toolmount auth <entry>`."),
    transport: z
      .enum(["http", "sse"])
      .optional()
      .describe(
        "How a server over HTTP is spoken to: Streamable HTTP, or SSE for servers from before March 2025. Without it, SSE is tried where the server refuses Streamable HTTP.",
      ),
    era: z
      .enum(["auto", "legacy", "modern"])
      .default("auto")
      .describe(
        "The revision of the protocol: `modern` is 2026-07-28, `legacy` what came before, and `auto` asks the server.",
      ),
    wake: z
      .enum(["start", "call"])
      .optional()
      .describe(
        "When the server is started: with the host, or by the first call. Without it, by the first call where the lock file has its tools.",
      ),
    instance: z
      .enum(["shared", "session", "call", "user"])
      .default("shared")
      .describe("Whose state the server holds. With `user`, each user has their own credentials."),
    users: z
      .record(z.string().min(1), z.strictObject({ headers: texts.optional(), env: texts.optional() }))
      .default({})
      .describe(
        "With `instance: user`, by the id of a user: headers and variables of that user's connection.",
      ),
    startTimeoutMs: timer
      .optional()
      .describe(
        "Longest time of one attempt to connect and list, in milliseconds. Without it, `30000`; for a program that npx, uvx, docker or the like may have to download first, `120000`.",
      ),
    timeoutMs: timer.default(60_000).describe("Longest time of a call without progress, in milliseconds."),
    maxTimeoutMs: timer
      .default(1_800_000)
      .describe("Longest time of a call that reports progress: each report starts `timeoutMs` again."),
    maxMessageBytes: z
      .int()
      .positive()
      .default(64 * 1024 * 1024)
      .describe("Longest message of the server; a longer one ends the connection."),
    hiddenText: z
      .enum(["refuse", "allow"])
      .default("refuse")
      .describe(
        "What becomes of characters that people cannot see. `refuse`: results show them as code points, and a tool with a title that has one is left out. `allow`: they are kept.",
      ),
    hints: z
      .enum(["use", "ignore"])
      .default("use")
      .describe("Whether the server's annotations classify its tools."),
    classify: z
      .record(z.string(), classification)
      .default({})
      .describe(
        "By a glob of the server's names, such as `write_*`: how its tools are classified, whatever the server says.",
      ),
    ask: z
      .array(z.enum(["elicitation", "sampling", "roots"]))
      .default([])
      .describe("What the server may ask the client in front of this host."),
    skills: z
      .boolean()
      .default(false)
      .describe("Whether each skill of the server is mounted as a tool that reads it."),
    expose: z
      .array(z.enum(["resources", "prompts", "ui"]))
      .default([])
      .describe(
        "What beside tools is served to clients of this host: resources and prompts, or only the user interfaces of its tools.",
      ),
  })
  .check(({ value, issues }) => {
    const refuse = (message: string) => void issues.push({ code: "custom", input: value, message });
    if ((value.command === undefined) === (value.url === undefined))
      refuse("an MCP server has a command or a url: exactly one of them");
    const problem = usersProblem(value);
    if (problem !== undefined) refuse(problem);
    const { border, read, write, network } = value;
    if (border !== "none" && value.command === undefined)
      refuse("a border is for an MCP server with a command; a server with a url runs elsewhere");
    if (border === "none" && (read.length > 0 || write.length > 0 || network !== "none"))
      refuse("read, write and network are grants of a border; add border: bubblewrap");
  })
  .transform((settings) => {
    const { startTimeoutMs = downloaderOf(settings) === undefined ? 30_000 : 120_000 } = settings;
    return { ...settings, startTimeoutMs };
  });

/** Returns the name of the program, such as `npx`, that may download the server before it starts it; undefined if none does. */
export function downloaderOf({
  command = "",
  args,
}: {
  readonly command?: string | undefined;
  readonly args: readonly string[];
}): string | undefined {
  const name = /(?:^|[\\/])(\w+)(?:\.\w+)?$/.exec(command)?.[1] ?? "";
  const first = args.find((arg) => !arg.startsWith("-")) ?? "";
  const isDownloader =
    /^(?:npx|pnpx|bunx|uvx)$/.test(name) ||
    /^(?:npm (?:exec|x)|(?:pnpm|yarn) dlx|bun x|uv (?:run|tool)|pipx run|(?:docker|podman) run)$/.test(
      `${name} ${first}`,
    );
  return isDownloader ? name : undefined;
}

interface UserSettings extends Record<"users" | "headers", object> {
  readonly instance: string;
  readonly auth: { readonly grant: string };
}

/** Returns what is wrong with the settings for users' credentials; undefined if nothing is. */
function usersProblem({ instance, users, headers, auth }: UserSettings): string | undefined {
  if (instance !== "user" && auth.grant === "token_exchange")
    return "the grant token_exchange gives each user a token; write instance: user";
  if (instance !== "user")
    return Object.keys(users).length === 0 ? undefined : "users are for an entry with instance: user";
  if (signsInByHeader({ headers }))
    return "with instance: user, no user has the credentials of another: write authorization under users, not under headers";
  if (auth.grant === "client_credentials")
    return "with instance: user, each user signs in: the grant client_credentials is for the host's own credentials";
  return undefined;
}

/** The settings of a mounted MCP server, parsed. */
export type ServerSettings = z.output<typeof config>;

/** Whether an entry itself gives the requests an `Authorization` header. */
export function signsInByHeader({ headers }: { readonly headers: object }): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
