import type { Writable } from "node:stream";
import { isToolmountError, ToolmountError } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type { HostsAbove } from "@toolmount/mcp";
import { nearestNames } from "@toolmount/core/text";
import { InvalidArgumentError, type Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { addExamples, collect, jsonOption, planArgument } from "../../options/common.ts";
import type { OidcOptions } from "../../http/access.ts";
import type { HttpOptions } from "../../http/serve-http.ts";
import { readMilliseconds } from "../../options/milliseconds.ts";
import { addApprovalOptions, approvalsOf } from "../../options/served-approvals.ts";
import { addPlanOptions } from "../../options/plan-options.ts";
import { addTapeOptions, exitCodeOfReplay } from "../../options/tape-options.ts";
import { printable } from "../../screen/printable.ts";
import { releaseMemoryWhenQuiet } from "../../process/quiet-memory.ts";
import type { Shell } from "../../process/shell.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";

interface Options extends HttpOptions {
  readonly stdio?: true;
  readonly user?: string;
  readonly session?: string;
}

/** `toolmount serve [plan] --stdio`: serves the tools of a plan to an MCP client; with `--http`, an API, a page and MCP. */
export function define(command: Command, shell: Shell): void {
  addPeopleOptions(addApprovalOptions(addTapeOptions(addPlanOptions(command))))
    .argument("[plan]", planArgument)
    .option("--stdio", "serve over MCP on standard input and output")
    .option("--watch", "mount the plan again when its files change")
    .option("--http [address]", "serve an API, the operator's page and MCP; default 127.0.0.1:4680")
    .option(
      "--also <name=plan>",
      "with --http: serve another plan under this name; may be given again",
      collect,
    )
    .option(
      "--allow <name|origin>",
      "with --http: one more name of the server, or a site whose pages may ask: https://…; may be given again",
      collect,
    )
    .option("--grace <ms>", "with --http: how long an end may take; default 10000", readMilliseconds)
    .option("--user <id>", "with --stdio: the user of the calls")
    .option("--session <id>", "with --stdio: the session; default a new one")
    .option(...jsonOption)
    .action(async (plan: string | undefined, options: Options) => {
      shell.end(await serve(plan, options, shell));
    });
  addExamples(command, [
    "toolmount serve --stdio",
    "toolmount serve mount-plans/coding.yaml --stdio --approval wait --watch",
    "toolmount serve mount-plans/coding.yaml --http 127.0.0.1:4680 --tokens ~/.config/toolmount/tokens.json",
  ]);
}

/** Adds the options of an HTTP server for tokens, for users who sign in, and for webhooks that report questions. */
function addPeopleOptions(command: Command): Command {
  return command
    .option(
      "--tokens <file|state>",
      "with --http: the file of hashed tokens, made if it is missing; state: in the plan's Postgres",
    )
    .option(
      "--oidc <name=value...>",
      "with --http: take tokens that an OpenID provider signed: issuer=…, audience=…, roles=<claim>, scope=…; for people on the page client=<id>, secret=<file>",
      readOidc,
    )
    .option(
      "--webhook <name=value...>",
      "with --http: report questions, decisions and ends: url=…, secret=<file> with whsec_…",
      readWebhook,
    );
}

/** The names that `--oidc` accepts. */
const oidcNames: readonly (keyof OidcOptions)[] = [
  "issuer",
  "audience",
  "roles",
  "client",
  "scope",
  "secret",
];

/** Reads one `name=value` of `--oidc`, and adds it to the earlier ones. */
export const readOidc = (text: string, before: OidcOptions = {}): OidcOptions =>
  readNamed(text, before, oidcNames);

type WebhookWords = NonNullable<HttpOptions["webhook"]>;

const readWebhook = (text: string, before: WebhookWords = {}): WebhookWords =>
  readNamed(text, before, ["url", "secret"]);

function readNamed<Words extends object>(text: string, before: Words, names: readonly string[]): Words {
  const [, name = "", value = ""] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  if (names.includes(name)) return { ...before, [name]: value };
  const [near] = nearestNames(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}=…?`;
  throw new InvalidArgumentError(`Give ${names.map((known) => `${known}=…`).join(", ")}.${hint}`);
}

async function serve(plan: string | undefined, options: Options, shell: Shell): Promise<ExitCode> {
  if ((options.stdio === true) === (options.http !== undefined))
    throw new ToolmountError("USAGE_INVALID", { problem: "say how to serve: either --stdio or --http" });
  if (options.http !== undefined && (options.user ?? options.session) !== undefined)
    throw new ToolmountError("USAGE_INVALID", {
      problem: "--user and --session are for --stdio; over HTTP the token of a request says whose it is",
    });
  if (options.http !== undefined)
    return (await import("../../http/serve-http.ts")).serveOverHttp(plan, options, shell);
  const { readHostsAbove, serveStreams } = await import("@toolmount/mcp");
  const output = shell.openAnswerStream();
  const { input, above } = readHostsAbove(shell.input);
  return shell.interruptible(async ({ signal }) => {
    const host = await openServed(plan, options, shell, { input, output, above });
    releaseMemoryWhenQuiet([host]);
    try {
      await (await import("../../http/served-plan.ts")).serveLayers(host);
      const { user, session, json } = options;
      // Watching starts before clients are served, so that it misses no change.
      const say = (line: string) => shell.err.line(`toolmount serve: ${line}`);
      const stopWatching =
        options.watch === true
          ? await import("../../host/watch-plan.ts").then(({ watchPlan }) => watchPlan(host, say))
          : undefined;
      const served = serveStreams(host, {
        input,
        output,
        name: nameOf(host),
        userId: user,
        sessionId: session,
        approvals: approvalsOf(options),
        onError: ({ message }) =>
          shell.err.line(
            json === true ? JSON.stringify({ error: message }) : `toolmount serve: ${printable(message)}`,
          ),
      });
      const stop = () => void served.close();
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
      await served.closed;
      await stopWatching?.();
      return exitCodeOfReplay(host, exitCodes.done, shell);
    } finally {
      await host.close();
    }
  });
}

/**
 * Opens a plan to serve. A plan that mounts a server of itself would start processes without end. If the client is a host that
 * runs this plan, it gets an answer that says so, and does not mount this process.
 */
async function openServed(
  plan: string | undefined,
  options: Options,
  shell: Shell,
  { input, output, above }: HostsAbove & { readonly output: Writable },
): Promise<OpenedHost> {
  try {
    // A client's calls run without a person who sees them, so reads are audited too (`mixed`).
    return await openPlan(plan, options, shell, { laterServers: true, above }, "mixed");
  } catch (error) {
    const hosts = isServedToItself(error) ? await above() : [];
    if (hosts.length > 0) await (await import("@toolmount/mcp")).serveRefusal(hosts, { input, output });
    throw error;
  }
}

function isServedToItself(error: unknown): boolean {
  if (!isToolmountError(error)) return false;
  const { problems = [] } = error.details as { readonly problems?: readonly { readonly code: string }[] };
  return [error, ...problems].some(({ code }) => code === "PLAN_SERVES_ITSELF");
}

function nameOf({ plan }: OpenedHost): string {
  return plan.name === undefined ? "toolmount" : `toolmount: ${plan.name}`;
}
