import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import type { Server as Listener } from "node:net";
import { messageOf } from "@toolmount/core/errors";
import { createProxy, type Asked } from "./hosts-proxy.ts";
import { findProgram } from "../system/bubblewrap.ts";
import { residentEnvironment } from "../system/environment.ts";

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
  /** `PATH`, on which `bwrap` and `nsenter` are found, and the variables that name the proxy of this machine. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

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
  env,
}: HostGateOptions): Promise<HostGate | { readonly problem: string }> {
  const path = env["PATH"];
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
  const proxy = createProxy(hosts, asked, env);
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
