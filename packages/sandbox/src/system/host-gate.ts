import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type Server as Listener, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { messageOf } from "@toolmount/core/errors";
import { findProgram } from "./bubblewrap.ts";
import { residentEnvironment } from "./environment.ts";

/** A way out of a network that has no other machine in it: by HTTP, to some hosts. */
export interface HostGate {
  /** How a sandbox is started with this way out. It must share the network that it is started in. */
  enter(file: string, args: readonly string[]): { readonly file: string; readonly args: readonly string[] };
  /** The hosts that were asked for since this was last called, each as `host:port`. */
  takeAsked(): { readonly reached: readonly string[]; readonly refused: readonly string[] };
  /** Ends it, once. */
  close(): void;
}

interface HostGateOptions {
  /**
   * Hosts as people write them: `registry.example.com`, `*.example.com` for all below it, each with the ports 80 and 443, or
   * with one of its own, `localhost:4873`.
   */
  readonly hosts: readonly string[];
  /** Where `bwrap` and `nsenter` are found. */
  readonly path: string | undefined;
}

/** A host in a list of hosts. Letters of other alphabets are written as their names are resolved, as `xn--…`. */
export const hostPattern = /^(?:\*\.)?[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d{1,5})?$/;

const port = 3128;
const address = `http://127.0.0.1:${port}`;

/** By these variables programs find the way out. What listens in the sandbox itself is reached without it. */
export const gateEnvironment: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, address]),
  ),
  ...Object.fromEntries(["no_proxy", "NO_PROXY"].map((name) => [name, "localhost,127.0.0.1,::1"])),
  NODE_USE_ENV_PROXY: "1",
};

/** Most connections of programs at one time: each needs two descriptors of this process. */
const mostConnections = 256;

/** Hands over what listens in the network that it was started in, and ends when that is taken. */
const listening = `
const server = require("node:net").createServer();
process.on("disconnect", () => process.exit());
server.listen(${port}, "127.0.0.1", () => process.send(process.pid, server));
`;

/** Opens a way out to some hosts, or says why this machine cannot. */
export async function openHostGate({
  hosts,
  path,
}: HostGateOptions): Promise<HostGate | { readonly problem: string }> {
  const [bwrap, nsenter] = ["bwrap", "nsenter"].map((name) => findProgram(name, path));
  if (bwrap === undefined || nsenter === undefined)
    return { problem: "bwrap and nsenter are not on PATH; install the packages bubblewrap and util-linux" };
  const words = ["--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/", "--"];
  const child = spawn(bwrap, [...words, process.execPath, "-e", listening], {
    // A layer in which nothing else runs can be mounted again.
    env: { PATH: path, ...residentEnvironment },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const held = await heldBy(child);
  if ("problem" in held) return held;
  const asked: Asked = { reached: new Set(), refused: new Set() };
  const proxy = createProxy(hosts, asked);
  held.listener.unref();
  held.listener.maxConnections = mostConnections;
  held.listener.on("connection", (socket) => proxy.emit("connection", socket));
  // An open file keeps a namespace. The number of a process may be that of another one by then.
  const at = (descriptor: number) => `/proc/${process.pid}/fd/${descriptor}`;
  const entered = [`--user=${at(held.user)}`, "--preserve-credentials", `--net=${at(held.net)}`, "--"];
  return {
    enter: (file, args) => ({ file: nsenter, args: [...entered, file, ...args] }),
    takeAsked() {
      const found = { reached: [...asked.reached], refused: [...asked.refused] };
      for (const each of Object.values(asked)) each.clear();
      return found;
    },
    close() {
      held.listener.close();
      proxy.closeAllConnections();
      for (const each of [held.user, held.net]) closeSync(each);
    },
  };
}

/** The namespaces of users and of the network, as open files, and what listens there. */
interface Held {
  readonly user: number;
  readonly net: number;
  readonly listener: Listener;
}

async function heldBy(child: ChildProcess): Promise<Held | { readonly problem: string }> {
  let said = "";
  child.stderr!.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  const handed = new Promise<Held>((resolve, reject) => {
    child.once("message", (pid, listener) => {
      try {
        const [user, net] = ["user", "net"].map((name) => openSync(`/proc/${pid as number}/ns/${name}`, "r"));
        resolve({ user: user!, net: net!, listener: listener as Listener });
      } catch (error) {
        reject(error);
      } finally {
        child.disconnect();
      }
    });
  });
  const failed = once(child, "close").then(() => said.trim().split("\n")[0] || "no network could be made");
  try {
    return await Promise.race([handed, failed.then((problem) => ({ problem }))]);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Most hosts that are named, and the longest name of a host. */
const mostNamed = 50;
const longestHost = 253;

type Asked = Record<"reached" | "refused", Set<string>>;

/** Passes on what is for one of the hosts, and refuses the rest. */
export function createProxy(hosts: readonly string[], asked: Asked): Server {
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
  };
  const server = createServer((wanted, answer) => forward(wanted, answer, way));
  server.on("connect", ({ url = "" }: IncomingMessage, near: Socket, head: Buffer) =>
    tunnel(url, near, head, way),
  );
  return server;
}

interface Way {
  mayReach(host: string, port: number): boolean;
  /** A listed host has answered. */
  reached(host: string, port: number): void;
}

function isHost(listed: string, host: string, to: number): boolean {
  const [name = "", own] = listed.toLowerCase().split(":");
  const isPort = own === undefined ? to === 80 || to === 443 : to === Number(own);
  return isPort && (name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name);
}

const refusal = (host: string, to: number) =>
  `${host}:${to} is not among the hosts that this plan lets commands reach\n`;

/** A connection whose bytes are the program's own, as of HTTPS. */
function tunnel(target: string, near: Socket, head: Buffer, way: Way): void {
  const url = URL.parse(`http://${target}`);
  const [host, to] = [hostOf(url), Number(url?.port || 80)];
  near.on("error", () => near.destroy());
  const end = (status: string, text: string) =>
    near.end(
      `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
  if (!way.mayReach(host, to)) return void end("403 Forbidden", refusal(host, to));
  const far = connect(to, host);
  far.once("error", (error) => end("502 Bad Gateway", `${host}:${to}: ${messageOf(error)}\n`));
  far.once("connect", () => {
    way.reached(host, to);
    near.write("HTTP/1.1 200 Connection established\r\n\r\n");
    far.write(head);
    far.removeAllListeners("error");
    void pipeline(near, far, near).catch(() => {}); // one of both ended early, and both are closed
  });
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
  // A server that serves several hosts must not take it for a request to another one.
  const headers = { ...given, host: url.host };
  const path = `${url.pathname}${url.search}`;
  const sent = request({ host, port: to, path, method: asked.method, headers, agent: false });
  sent.on("error", (error) => {
    if (answer.headersSent) answer.destroy();
    else end(502, `${host}:${to}: ${messageOf(error)}\n`);
  });
  sent.once("response", (received) => {
    way.reached(host, to);
    answer.writeHead(received.statusCode ?? 502, received.rawHeaders);
    void pipeline(received, answer).catch(() => {}); // one of both ended early, and both are closed
  });
  void pipeline(asked, sent).catch(() => {}); // as above
}
