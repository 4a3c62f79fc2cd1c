import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { silentLogger, systemClock, ToolmountError } from "@toolmount/core";
import { createApp, type App } from "../api/app.ts";
import { finishSignIn } from "../api/servers.ts";
import type { Admitted, Service } from "../api/service.ts";
import { HttpError } from "../fault/http-error.ts";
import { defaultAddress, isLoopback, reachedAt, type ListenAddress } from "../guard/authority.ts";
import { loopbackNames, type GuardRules } from "../guard/guard.ts";
import { RateLimit } from "../guard/rate-limit.ts";
import { createMetrics, type Metrics } from "../journal/metrics.ts";
import { endHosts, liveHosts } from "./live-hosts.ts";
import { createDrain, type Drain } from "./drain.ts";
import { createFront } from "./front.ts";
import { OpenRequests } from "./open-requests.ts";
import type { HttpLimits, HttpServer, ServeHostsOptions } from "./options.ts";

const defaultBodyBytes = 1_048_576;
const defaultConnections = 2_000;
/**
 * Milliseconds for which an idle connection stays open. It is longer than the 60 s of usual proxies and balancers, because the
 * side that sends requests should close first. Otherwise a request can arrive on a connection that was just closed.
 */
const keepAliveMs = 65_000;
/** Connections in addition to those for callers: for approvers, for health checks, and to refuse requests over the limit. */
const reservedConnections = 200;

/**
 * Serves hosts over HTTP: the API, the page, metrics and MCP, with the same checks for all requests. Rejects with
 * `OPTION_INVALID` for an address that other machines can reach, unless `beyondLoopback` is set.
 */
export async function serveHosts(options: ServeHostsOptions): Promise<HttpServer> {
  const { listen = defaultAddress, limits = {}, clock = systemClock, logger = silentLogger } = options;
  requireAllowedAddress(listen, options);
  const maxBodyBytes = limits.bodyBytes ?? defaultBodyBytes;
  const drain = createDrain(clock);
  const version = options.version ?? ownVersion();
  const hosts = liveHosts(options, { clock, logger, cut: drain.cut, version });
  const metrics = createMetrics(hosts, logger);
  const service: Service = {
    hosts,
    metrics,
    clock,
    logger,
    version,
    baseOf: (host = "") => reachedAt(options.publicUrl, host),
    ending: drain.ending,
    countDecision: countWith(new RateLimit(limits.decisions ?? "120/min", clock)),
  };
  const app = createApp(service, maxBodyBytes);
  const rules = rulesOf(options, listen, maxBodyBytes);
  let closing: Promise<void> | undefined;
  const openLimits = { perName: limits.openPerToken ?? 500, all: limits.connections ?? defaultConnections };
  const open = new OpenRequests(openLimits, options.authenticate, { clock, logger, cut: drain.cut });
  const front = createFront({
    ...options,
    rules: () => rules,
    page: options.page ?? new Map(),
    limits,
    isReady: () => drain.isReady(),
    open,
    baseOf: service.baseOf,
    comesBack: (parameters, started) => finishSignIn(service, parameters, started),
  });
  const server = createNodeServer({ front, app, drain, metrics, limits });
  const port = await startListening(server, listen);
  const url = urlOf(listen, port);
  await Promise.all([...hosts.values()].map(({ replicas }) => replicas.begin(url)));
  const closeAll = async (graceMs: number) => {
    await endHosts(hosts, { drain, server, graceMs });
    metrics.close();
  };
  return {
    url,
    port,
    get document() {
      return app.document;
    },
    close: ({ graceMs = 10_000 } = {}) => (closing ??= closeAll(graceMs)),
  };
}

function countWith(decisions: RateLimit): Service["countDecision"] {
  return ({ name }) => {
    const seconds = decisions.take(name);
    if (seconds > 0) throw new HttpError("RATE_LIMITED", { seconds });
  };
}

function urlOf({ host }: ListenAddress, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function ownVersion(): string {
  const manifest = readFileSync(new URL(import.meta.resolve("#package.json")), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

interface ServerParts {
  readonly front: ReturnType<typeof createFront>;
  readonly app: App;
  readonly drain: Drain;
  readonly metrics: Metrics;
  readonly limits: HttpLimits;
}

/** Creates a server whose requests are checked by `front` before they reach a route. */
function createNodeServer({ front, app, drain, metrics, limits }: ServerParts): Server {
  const admitted = new WeakMap<IncomingMessage, Admitted>();
  const answer = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as HttpBindings;
      return app.fetch(request, { incoming, outgoing, ...admitted.get(incoming)! });
    },
    { overrideGlobalObjects: false },
  );
  const requestTimeout = limits.requestMs ?? 30_000;
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes ?? 16_384,
      keepAliveTimeout: keepAliveMs,
      requestTimeout,
      headersTimeout: Math.min(requestTimeout, 10_000),
      // By default, Node looks for late requests only every 30 s.
      connectionsCheckingInterval: Math.min(requestTimeout, 5_000),
    },
    (request, response) => {
      drain.track(response);
      response.on("finish", () => metrics.request(request.method ?? "", response.statusCode));
      void front(request, response).then((found) => {
        if (found === null) return;
        connections.keep(response);
        admitted.set(request, found);
        void answer(request, response);
      });
    },
  );
  const max = (limits.connections ?? defaultConnections) + reservedConnections;
  const connections = limitConnections(server, max);
  return server;
}

function requireAllowedAddress({ host }: ListenAddress, { beyondLoopback }: ServeHostsOptions): void {
  if (isLoopback(host) || beyondLoopback === true) return;
  throw new ToolmountError("OPTION_INVALID", {
    option: "listen",
    problem: `other machines can reach ${host}; listen on 127.0.0.1 behind a proxy with TLS, or allow it explicitly`,
  });
}

/** Returns the rules with the names of the address itself and those in the options. An address such as 0.0.0.0 is not a name. */
function rulesOf(
  { allowedHosts = [], allowedOrigins = [] }: ServeHostsOptions,
  { host }: ListenAddress,
  maxBodyBytes: number,
): GuardRules {
  const own = isLoopback(host) ? [...loopbackNames, host] : [host];
  const wildcards = new Set(["0.0.0.0", "::"]);
  return {
    hosts: new Set(
      [...own, ...allowedHosts].map((name) => name.toLowerCase()).filter((name) => !wildcards.has(name)),
    ),
    origins: new Set(allowedOrigins),
    maxBodyBytes,
  };
}

function listenProblem({ code, message }: NodeJS.ErrnoException, address: string): string {
  const known: Readonly<Record<string, string>> = {
    EADDRINUSE: `another program listens on ${address}; choose another port, or end that program`,
    EACCES: `this user may not listen on ${address}; choose a port from 1024 on`,
    EADDRNOTAVAIL: `this machine has no address ${address}`,
  };
  return known[code ?? ""] ?? `cannot listen on ${address}: ${message}`;
}

async function startListening(server: Server, { host, port }: ListenAddress): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  }).catch((cause: unknown) => {
    const problem = listenProblem(cause as NodeJS.ErrnoException, `${host}:${port}`);
    throw new ToolmountError("OPTION_INVALID", { option: "listen", problem }, { cause });
  });
  return (server.address() as AddressInfo).port;
}

/** Keeps connections from being closed by {@link limitConnections}. */
interface Connections {
  /** Keeps the connection of a request with a valid token open until its response is closed. */
  readonly keep: (response: ServerResponse) => void;
}

/**
 * Limits the open connections. If a new one exceeds `max`, closes the connection that has been longest without a request with a
 * valid token. So programs that only hold connections cannot lock others out. If all connections run such requests, the new one
 * is closed.
 */
function limitConnections(server: Server, max: number): Connections {
  let open = 0;
  // A set keeps its members in the order in which they were added, so the first one is the oldest.
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open += 1;
    idle.add(socket);
    socket.once("close", () => {
      open -= 1;
      idle.delete(socket);
    });
    if (open <= max) return;
    const [oldest = socket] = idle;
    idle.delete(oldest);
    oldest.destroy();
  });
  return {
    keep: (response) => {
      const { socket } = response;
      if (socket === null) return;
      idle.delete(socket);
      response.once("close", () => {
        if (!socket.destroyed) idle.add(socket);
      });
    },
  };
}
