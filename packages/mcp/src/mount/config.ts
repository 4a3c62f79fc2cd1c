import { z } from "zod";
import { authSettings } from "../auth/settings.ts";

/** Longest delay that a timer can hold, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

const texts = z.record(z.string(), z.string());

const classification = z.strictObject({
  category: z.enum(["read", "write", "delete", "side_effect"]).optional(),
  consequence: z.enum(["low", "medium", "high"]).optional(),
  confirm: z.boolean().optional().describe("Whether a person is asked before it runs."),
  idempotent: z.boolean().optional().describe("Running it twice is as good as once."),
});

/** What a plan may say of an MCP server: `source: { mcp: { … } }`. */
export const config = z
  .strictObject({
    name: z.string().min(1).describe("The id of the entry; the loader fills it in."),
    required: z
      .boolean()
      .default(true)
      .describe(
        "Whether the plan needs the server; the loader fills it in. One that is not required is asked until it answers.",
      ),
    prefix: z.string().optional().describe("The prefix of the entry's tools; the loader fills it in."),
    hiddenText: z
      .enum(["refuse", "allow"])
      .default("refuse")
      .describe(
        "Whether texts of the server keep characters that people cannot see; the loader fills it in from the entry.",
      ),
    command: z.string().min(1).optional().describe("The program that is started, for a server over stdio."),
    args: z.array(z.string()).default([]),
    env: texts.default({}).describe("Variables of the program, beside PATH, HOME and a few others."),
    cwd: z.string().optional().describe("Working folder of the program; default the plan's."),
    border: z
      .enum(["none", "bubblewrap"])
      .default("none")
      .describe(
        "What keeps the program from the machine. bubblewrap: files, the network and other processes.",
      ),
    read: z
      .array(z.string().min(1))
      .default([])
      .describe("Behind a border: files and folders that the program may read, relative to the plan."),
    write: z
      .array(z.string().min(1))
      .default([])
      .describe("Behind a border: files and folders that the program may change, relative to the plan."),
    network: z
      .enum(["none", "any"])
      .default("none")
      .describe("Behind a border: whether the program may use the network."),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("The address of a server over HTTP."),
    headers: texts.default({}).describe("Sent with each request to a server over HTTP."),
    auth: authSettings
      .prefault({})
      .describe("How to sign in to a server over HTTP that asks for it: toolmount auth <entry>."),
    transport: z
      .enum(["http", "sse"])
      .default("http")
      .describe(
        "How a server with a url is spoken to: Streamable HTTP, or SSE for servers from before 2025-03.",
      ),
    era: z
      .enum(["auto", "legacy", "modern"])
      .default("auto")
      .describe(
        "Which revision of the protocol: modern is 2026-07-28, legacy is what came before, auto finds out.",
      ),
    wake: z
      .enum(["start", "call"])
      .optional()
      .describe(
        "When the server is started: with the host, or by the first call, for which its tools have to be in the lock file. Default call, where they are.",
      ),
    instance: z
      .enum(["shared", "session", "call", "user"])
      .default("shared")
      .describe(
        "What the server's state belongs to: all sessions, one session, one call, or one user, who then has credentials of their own.",
      ),
    users: z
      .record(z.string().min(1), z.strictObject({ headers: texts.optional(), env: texts.optional() }))
      .default({})
      .describe("With instance: user, by the id of a user: headers and variables of that user's connection."),
    startTimeoutMs: z
      .int()
      .positive()
      .max(maxTimerMs)
      .default(30_000)
      .describe("Longest time of one attempt to connect and list."),
    timeoutMs: z
      .int()
      .positive()
      .max(maxTimerMs)
      .default(60_000)
      .describe("Longest time of one call without progress."),
    maxTimeoutMs: z
      .int()
      .positive()
      .max(maxTimerMs)
      .default(1_800_000)
      .describe("Longest time of one call that reports progress: each report starts timeoutMs again."),
    maxMessageBytes: z
      .int()
      .positive()
      .default(64 * 1024 * 1024)
      .describe("Longest message of a server; a longer one ends the connection."),
    hints: z
      .enum(["use", "ignore"])
      .default("use")
      .describe("Whether what the server says of its tools (annotations) classifies them."),
    classify: z
      .record(z.string(), classification)
      .default({})
      .describe("By a glob of the server's names: how its tools are classified, whatever the server says."),
    ask: z
      .array(z.enum(["elicitation", "sampling", "roots"]))
      .default([])
      .describe("What the server may ask the client in front of this host; everything else is refused."),
    skills: z
      .boolean()
      .default(false)
      .describe(
        "Whether each skill of the server (io.modelcontextprotocol/skills) is mounted as a tool that reads it.",
      ),
    expose: z
      .array(z.enum(["resources", "prompts", "ui"]))
      .default([])
      .describe(
        "What beside tools is served to clients of this host; ui: only the user interfaces of its tools (ui:// resources).",
      ),
  })
  .check(({ value, issues }) => {
    if ((value.command === undefined) === (value.url === undefined))
      issues.push({
        code: "custom",
        input: value,
        message: "an MCP server has a command or a url: exactly one of them",
      });
    const problem = usersProblem(value);
    if (problem !== undefined) issues.push({ code: "custom", input: value, message: problem });
    const { border, read, write, network } = value;
    if (border !== "none" && value.command === undefined)
      issues.push({
        code: "custom",
        input: value,
        message: "a border is for an MCP server with a command; a server with a url runs elsewhere",
      });
    if (border === "none" && (read.length > 0 || write.length > 0 || network !== "none"))
      issues.push({
        code: "custom",
        input: value,
        message: "read, write and network are grants of a border; add border: bubblewrap",
      });
  });

/** Why the credentials of users are not what the entry says; undefined where nothing is wrong. */
function usersProblem({
  instance,
  users,
  headers,
  auth,
}: {
  readonly instance: string;
  readonly users: object;
  readonly headers: object;
  readonly auth: { readonly grant: string };
}): string | undefined {
  if (instance !== "user" && auth.grant === "token_exchange")
    return "the grant token_exchange gives each user a token; write instance: user";
  if (instance !== "user")
    return Object.keys(users).length === 0 ? undefined : "users are for an entry with instance: user";
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization"))
    return "with instance: user, no user has the credentials of another: write authorization under users, not under headers";
  if (auth.grant === "client_credentials")
    return "with instance: user, each user signs in: the grant client_credentials is for the host's own credentials";
  return undefined;
}

/** The settings of a mounted MCP server, parsed. */
export type ServerSettings = z.output<typeof config>;
