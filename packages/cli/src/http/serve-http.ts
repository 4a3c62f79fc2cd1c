import { once } from "node:events";
import { resolve } from "node:path";
import type { Logger } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import type {
  HttpServer,
  ListenAddress,
  ServedHost,
  ServeHostsOptions,
  WebhookOptions,
} from "@toolmount/http";
import { auditSinkOf } from "@toolmount/record/internal";
import { exportLines } from "@toolmount/record";
import { openReasoner } from "../agent/open-reasoner.ts";
import type { OpenReasoner } from "@toolmount/record/internal";
import { openPlan } from "../host/open-plan.ts";
import { createTerminalLogger } from "../host/terminal-logger.ts";
import type { PlanOptions } from "../options/plan-options.ts";
import type { ApprovalOptions } from "../options/served-approvals.ts";
import { exitCodeOfReplay, type TapeOptions } from "../options/tape-options.ts";
import { printable } from "../screen/printable.ts";
import { exitCodes, type ExitCode } from "../process/exit-codes.ts";
import { readOwnVersion } from "../process/own-version.ts";
import { releaseMemoryWhenQuiet } from "../process/quiet-memory.ts";
import type { Shell } from "../process/shell.ts";
import { usageError } from "../process/usage-error.ts";
import {
  scopeOf,
  serveLayers,
  servePlan,
  serveProtocol,
  serveServers,
  serveSignIns,
  serveStories,
  serveTurns,
} from "./served-plan.ts";
import { readSecret } from "./token-file.ts";
import { prepareAccess, type AccessOptions, type ServerAccess } from "./access.ts";

/** Options of `toolmount serve --http`. */
export interface HttpOptions extends PlanOptions, TapeOptions, AccessOptions, ApprovalOptions {
  readonly json?: true;
  readonly http?: string | true;
  readonly also?: readonly string[];
  readonly allow?: readonly string[];
  readonly grace?: number;
  /** Where questions and answers are reported: the address, and the path of a file with the secret of both sides. */
  readonly webhook?: { readonly url?: string; readonly secret?: string };
  readonly watch?: true;
}

/** An open plan with everything that was opened for it. */
interface Open {
  readonly name: string;
  readonly host: OpenedHost;
  readonly served: ServedHost;
  readonly turns: OpenReasoner | null;
}

/** Serves plans over HTTP until the process is asked to end. At a terminal SIGHUP ends it; elsewhere it reloads the plans. */
export async function serveOverHttp(
  plan: string | undefined,
  options: HttpOptions,
  shell: Shell,
): Promise<ExitCode> {
  const listen = await readAddress(options);
  requireOnePlan(options);
  const open: Open[] = [];
  let access: ServerAccess | undefined;
  const reload = shell.terminal === undefined ? { onHangUp: () => void reloadAll(open, access, shell) } : {};
  return shell.interruptible(async ({ signal }) => {
    try {
      for (const [name, path] of plansOf(plan, options)) open.push(await openOne(name, path, options, shell));
      const hosts = open.map(({ host }) => host);
      releaseMemoryWhenQuiet(hosts);
      const folders = open.map(({ host }) => host.plan.folder);
      const logger = createTerminalLogger(shell.err, shell.settings.verbosity);
      access = await prepareAccess(options, hosts, shell, logger);
      for (const host of hosts) offerExchange(host, access);
      const webhook = await readWebhook(options, folders, shell);
      const reached = { listen, webhook, version: readOwnVersion() };
      const server = await start(open, reached, access, options, logger);
      const watches = options.watch === true ? await watchAll(open, shell) : [];
      announce(server, access, options, shell);
      if (!signal.aborted) await once(signal, "abort");
      await Promise.all(watches.map((stop) => stop()));
      await server.close({ graceMs: options.grace });
      return open.reduce<ExitCode>((code, { host }) => exitCodeOfReplay(host, code, shell), exitCodes.done);
    } finally {
      for (const { host, turns } of open) {
        await host.close();
        await turns?.close();
      }
    }
  }, reload);
}

/** Lets mounted servers exchange a user's token of the OpenID provider for a separate token, instead of using it themselves. */
function offerExchange({ coordinator }: OpenedHost, { exchange }: ServerAccess): void {
  if (exchange !== null) coordinator.registerCapability("tokens.exchange", exchange);
}

async function readAddress({ http, tokens, oidc }: HttpOptions): Promise<ListenAddress | undefined> {
  if (http === undefined || http === true) return undefined;
  const { isLoopback, parseListenAddress } = await import("@toolmount/http");
  const address = parseListenAddress(http);
  if (address === null)
    throw usageError(
      `${JSON.stringify(http)} is not an address; write it as host:port, such as 127.0.0.1:4680`,
    );
  if (!isLoopback(address.host) && (tokens ?? oidc) === undefined)
    throw usageError(
      `other machines can reach ${address.host}; keep the server on 127.0.0.1 behind a proxy with TLS, or give --tokens or --oidc`,
    );
  return address;
}

/** Throws if a tape is used with several plans, because a tape has the calls of one plan only. */
function requireOnePlan({ also = [], record, replay }: HttpOptions): void {
  if (also.length > 0 && (record ?? replay) !== undefined)
    throw usageError(
      "--record and --replay are for one plan; leave --also out, or start a server for each plan",
    );
}

/** Returns the paths of the plans by name. The first plan is `default`; the others have the names that `--also` gives them. */
function plansOf(plan: string | undefined, { also = [] }: HttpOptions): Map<string, string | undefined> {
  const plans = new Map([["default", plan]]);
  for (const text of also) {
    const [, name, path] = /^([a-z][\w-]{0,63})=(.+)$/.exec(text) ?? [];
    if (name === undefined || plans.has(name))
      throw usageError(`--also ${JSON.stringify(text)} is not <name>=<plan> with a new name in lower case`);
    plans.set(name, path);
  }
  return plans;
}

async function openOne(
  name: string,
  plan: string | undefined,
  options: HttpOptions,
  shell: Shell,
): Promise<Open> {
  // A client's calls run without a person who sees them, so reads are audited too (`mixed`).
  const host = await openPlan(plan, options, shell, { laterServers: true }, "mixed");
  const turns = host.coordinator.get("orchestrator") === null ? null : await openReasoner(host, {}, shell);
  const { outcomeText: modelText } = await import("@toolmount/reasoner");
  const onError = ({ message }: Error) => shell.err.line(`toolmount serve: ${printable(message)}`);
  const served: ServedHost = {
    host,
    scope: scopeOf(host, name),
    plan: servePlan(host, plan, options, shell),
    mcp: await serveProtocol(host, options, onError),
    servers: () => serveServers(host),
    signIns: () => serveSignIns(host),
    modelText,
    stories: serveStories(host, turns?.reasoner),
    layers: await serveLayers(host),
    exportCalls: (format, { userId, sessionId, ...same }) =>
      exportLines(auditSinkOf(host), format, { ...same, user: userId, session: sessionId }),
    ...(turns !== null && { turns: serveTurns(host, turns.reasoner, turns.settings) }),
  };
  return { name, host, served, turns };
}

/** Reads the secret of the webhook from a file, because other users of the machine can read the arguments of a process. */
async function readWebhook(
  { webhook: { url, secret: file } = {} }: HttpOptions,
  planFolders: readonly string[],
  { cwd }: Shell,
): Promise<WebhookOptions | undefined> {
  if (url === undefined && file === undefined) return undefined;
  if (url === undefined || file === undefined)
    throw usageError("--webhook needs url=…, and secret=…, a file with the secret of both sides");
  return { url, secret: await readSecret(resolve(cwd, file), planFolders) };
}

async function start(
  open: readonly Open[],
  reached: Pick<ServeHostsOptions, "listen" | "webhook" | "version">,
  { authenticate, pageSignIn }: ServerAccess,
  { allow = [], oidc, publicUrl }: HttpOptions,
  logger: Logger,
): Promise<HttpServer> {
  const { serveHosts } = await import("@toolmount/http");
  const { readPage } = await import("@toolmount/page");
  return serveHosts({
    page: await readPage(pageSignIn),
    hosts: Object.fromEntries(open.map(({ name, served }) => [name, served])),
    authenticate,
    pageSignIn,
    ...reached,
    publicUrl,
    // `readAddress` has already refused an address that other machines reach, unless `--tokens` or `--oidc` is given.
    beyondLoopback: true,
    allowedHosts: allow.filter((one) => !isOrigin(one)),
    allowedOrigins: allow.filter(isOrigin),
    ...(oidc?.issuer !== undefined && {
      signIn: { authorizationServers: [oidc.issuer], scopes: oidc.scope?.split(/\s+/) },
    }),
    logger,
  });
}

function isOrigin(allowed: string): boolean {
  return allowed.includes("://");
}

function announce(
  { url, port }: HttpServer,
  { created }: ServerAccess,
  { json }: HttpOptions,
  shell: Shell,
): void {
  const { err, out } = shell;
  if (json === true) out.jsonLine({ listening: url, port });
  else err.line(`${err.paint("bold", "serving")} ${url}  ${err.paint("dim", `MCP: ${url}/mcp`)}`);
  if (created === undefined && json !== true)
    err.line(`  page    ${url}/  sign in with a token that may decide`);
  if (created === undefined) return;
  err.line(`  call    ${created.call}  calls for the user "call", and sees only that; give it to programs`);
  err.line(`  decide  ${created.decide}  also decides approvals; for a person, shown only now`);
  err.line(`  page    ${url}/#token=${created.decide}`);
}

/** Reloads each plan when its files change. Resolves to functions that end this. */
async function watchAll(open: readonly Open[], { err }: Shell): Promise<(() => Promise<void>)[]> {
  const { watchPlan } = await import("../host/watch-plan.ts");
  return Promise.all(
    open.map(({ name, host }) =>
      watchPlan(host, (line) => err.line(`toolmount serve ${printable(name)}: ${line}`)),
    ),
  );
}

async function reloadAll(
  open: readonly Open[],
  access: ServerAccess | undefined,
  { err }: Shell,
): Promise<void> {
  await access?.reload().catch((error: Error) => err.line(`the tokens are as they were: ${error.message}`));
  for (const { name, host } of open)
    await host.reload().then(
      ({ generation }) => err.line(`reloaded ${name}: generation ${generation}`),
      (error: Error) => err.line(`${name} is as it was: ${printable(error.message)}`),
    );
}
