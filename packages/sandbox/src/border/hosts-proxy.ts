import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { unescape } from "node:querystring";
import { pipeline } from "node:stream/promises";
import { messageOf } from "@toolmount/core/errors";

/** Form of a host in a list of hosts. Names in other alphabets have to be written as they are resolved, as `xn--…`. */
export const hostPattern = /^(?:\*\.)?[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d{1,5})?$/;

/** Maximum number of hosts that are recorded, and the longest host name in characters. */
const mostNamed = 50;
const longestHost = 253;

export type Asked = Record<"reached" | "refused", Set<string>>;

/**
 * Makes a proxy that passes on requests to the listed hosts and refuses all others. It uses the machine's proxy if there is
 * one.
 */
export function createProxy(hosts: readonly string[], asked: Asked, env: Variables = {}): Server {
  const note = (kind: keyof Asked, host: string, to: number) => {
    if (asked[kind].size < mostNamed) asked[kind].add(`${host.slice(0, longestHost)}:${to}`);
  };
  const way: Way = {
    mayReach(host, to) {
      const isListed = hosts.some((each) => isHost(each, host, to));
      if (!isListed) note("refused", host, to);
      return isListed;
    },
    reached: (host, to) => note("reached", host, to),
    env,
  };
  const server = createServer((wanted, answer) => forward(wanted, answer, way));
  server.on("connect", ({ url = "" }: IncomingMessage, near: Socket, head: Buffer) =>
    tunnel(url, near, head, way),
  );
  return server;
}

interface Way {
  mayReach(host: string, port: number): boolean;
  /** Notes that a listed host has answered. */
  reached(host: string, port: number): void;
  readonly env: Variables;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the machine's proxy for a host, from the variables that most programs read; undefined for a direct connection. */
function proxyOf({ env }: Way, scheme: "http" | "https", host: string, to: number): URL | undefined {
  const value = (name: string) => env[name] || env[name.toUpperCase()];
  const proxy = URL.parse(value(`${scheme}_proxy`) || value("all_proxy") || "");
  if (proxy?.protocol !== "http:") return undefined;
  const direct = (value("no_proxy") ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const isDirect = direct.some((each) => {
    const [name = "", port = String(to)] = each.replace(/^\*?\./, "").split(":");
    return each === "*" || (Number(port) === to && (host === name || host.endsWith(`.${name}`)));
  });
  return isDirect ? undefined : proxy;
}

/** Returns the options of a request to a proxy. */
function toProxy({ hostname, port, username, password }: URL) {
  // `unescape` keeps text that is no valid escape; an odd address of the proxy must not end this process.
  const own = [username, password].map((each) => unescape(each)).join(":");
  const headers =
    username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(own).toString("base64")}` };
  return { host: hostname, port: port || 80, agent: false, headers };
}

function isHost(listed: string, host: string, to: number): boolean {
  const [name = "", own] = listed.toLowerCase().split(":");
  const isPort = own === undefined ? to === 80 || to === 443 : to === Number(own);
  return isPort && (name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name);
}

const refusal = (host: string, to: number) =>
  `${host}:${to} is not among the hosts that this plan lets commands reach\n`;

/** Opens a connection whose bytes are passed on unread, as for HTTPS. */
function tunnel(target: string, near: Socket, head: Buffer, way: Way): void {
  const url = URL.parse(`http://${target}`);
  const [host, to] = [hostOf(url), Number(url?.port || 80)];
  near.on("error", () => near.destroy());
  const end = (status: string, text: string) =>
    near.end(
      `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
  if (!way.mayReach(host, to)) return void end("403 Forbidden", refusal(host, to));
  const failed = (error: Error) => end("502 Bad Gateway", `${host}:${to}: ${messageOf(error)}\n`);
  const joined = (far: Socket) => {
    way.reached(host, to);
    near.write("HTTP/1.1 200 Connection established\r\n\r\n");
    far.write(head);
    far.removeAllListeners("error");
    void pipeline(near, far, near).catch(() => {}); // one of the two ended early, and both are closed
  };
  const proxy = proxyOf(way, "https", host, to);
  if (proxy !== undefined) return askProxy(proxy, `${host}:${to}`, { joined, failed });
  const far = connect(to, host);
  far.once("error", failed).once("connect", () => joined(far));
}

interface Tunnel {
  readonly joined: (far: Socket) => void;
  readonly failed: (error: Error) => void;
}

/** Asks the machine's proxy for a connection. */
function askProxy(proxy: URL, path: string, { joined, failed }: Tunnel): void {
  const asked = request({ ...toProxy(proxy), method: "CONNECT", path });
  asked.once("error", failed).once("connect", ({ statusCode }, far) => {
    if (statusCode === 200) return joined(far);
    far.destroy();
    failed(new Error(`the proxy of this machine, ${proxy.host}, answered ${statusCode}`));
  });
  asked.end();
}

function hostOf(url: URL | null): string {
  return (url?.hostname ?? "").toLowerCase().replace(/\.$/, "");
}

function forward(asked: IncomingMessage, answer: ServerResponse, way: Way): void {
  const url = URL.parse(asked.url ?? "");
  const [host, to] = [hostOf(url), Number(url?.port || 80)];
  const end = (status: number, text: string) => void answer.writeHead(status).end(text);
  if (url?.protocol !== "http:") return end(400, "only http: and CONNECT are passed on\n");
  if (!way.mayReach(host, to)) return end(403, refusal(host, to));
  const { "proxy-connection": _, "proxy-authorization": __, ...given } = asked.headers;
  // The header names the same host as the address, so that a server with several hosts does not serve another one.
  const headers = { ...given, host: url.host };
  const path = `${url.pathname}${url.search}`;
  const proxy = proxyOf(way, "http", host, to);
  const { headers: own, ...by } =
    proxy === undefined
      ? { host, port: to, path, agent: false }
      : { ...toProxy(proxy), path: `${url.origin}${path}` };
  const sent = request({ ...by, method: asked.method, headers: { ...headers, ...own } });
  sent.on("error", (error) => {
    if (answer.headersSent) answer.destroy();
    else end(502, `${host}:${to}: ${messageOf(error)}\n`);
  });
  sent.once("response", (received) => {
    way.reached(host, to);
    answer.writeHead(received.statusCode ?? 502, received.rawHeaders);
    void pipeline(received, answer).catch(() => {}); // one of the two ended early, and both are closed
  });
  void pipeline(asked, sent).catch(() => {}); // one of the two ended early, and both are closed
}
