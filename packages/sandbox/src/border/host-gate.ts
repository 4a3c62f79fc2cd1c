import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { once } from "node:events";
import type { Server as Listener } from "node:net";
import { messageOf } from "@toolmount/core/errors";
import { createProxy, type Asked } from "./hosts-proxy.ts";
import { findProgram } from "../system/bubblewrap.ts";
import { residentEnvironment } from "../system/environment.ts";
import { spawnChild } from "../system/process-trees.ts";

/** Lets programs in a sandbox without a network reach some hosts, by HTTP and HTTPS. */
export interface HostGate {
  /** Returns the command that starts a sandbox in the network of this way out; so the sandbox must not make its own network. */
  enter(file: string, args: readonly string[]): { readonly file: string; readonly args: readonly string[] };
  /** Returns the hosts that programs asked for since the last call of this function, each as `host:port`. */
  takeAsked(): { readonly reached: readonly string[]; readonly refused: readonly string[] };
  /** Closes the way out; must be called only once. */
  close(): void;
}

interface HostGateOptions {
  /**
   * Hosts as people write them: `registry.example.com`, or `*.example.com` for all below it, with the ports 80 and 443; or with
   * one port, as in `localhost:4873`.
   */
  readonly hosts: readonly string[];
  /** `PATH`, on which `bwrap` and `nsenter` are found, and the variables that name the machine's proxy. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const port = 3128;
const address = `http://127.0.0.1:${port}`;

/** Variables by which programs find the way out. Programs that listen in the sandbox itself are reached without it. */
export const gateEnvironment: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, address]),
  ),
  ...Object.fromEntries(["no_proxy", "NO_PROXY"].map((name) => [name, "localhost,127.0.0.1,::1"])),
  NODE_USE_ENV_PROXY: "1",
};

/** Maximum number of simultaneous connections of programs; each needs two descriptors of this process. */
const mostConnections = 256;

/** Program that listens in the network in which it is started, sends the listener to its parent, and ends after that. */
const listening = `
const server = require("node:net").createServer();
process.on("disconnect", () => process.exit());
server.listen(${port}, "127.0.0.1", () => process.send(process.pid, server));
`;

/** Opens a way out to some hosts, or returns why this machine cannot. */
export async function openHostGate({
  hosts,
  env,
}: HostGateOptions): Promise<HostGate | { readonly problem: string }> {
  const path = env["PATH"];
  const [bwrap, nsenter] = ["bwrap", "nsenter"].map((name) => findProgram(name, path));
  if (bwrap === undefined || nsenter === undefined)
    return { problem: "bwrap and nsenter are not on PATH; install the packages bubblewrap and util-linux" };
  const words = ["--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/", "--"];
  const child = spawnChild(bwrap, [...words, process.execPath, "-e", listening], {
    // With this variable, the process does not count as a program that runs in a layer, so the layer can still be mounted
    // again.
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
  // An open file keeps the namespace alive. The number of a process that has ended may already belong to another one.
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

/** The namespaces of users and of the network, as open files, and the listener in that network. */
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
