// What code of bad will tries in its process. Each attempt throws, or reports what it could do.
import * as childProcess from "node:child_process";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import {
  closeSync,
  linkSync,
  openAsBlob,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import * as inspector from "node:inspector";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { writeHeapSnapshot } from "node:v8";
import { WASI } from "node:wasi";
import { Worker } from "node:worker_threads";

const { spawn, spawnSync } = childProcess;

/** What Node has of a program that it starts. */
interface Handle {
  kill(signal: number): number;
}

/** Where the attempts go: a granted folder, one that is not, and the host's own process and services. */
export interface Target {
  readonly box: string;
  readonly outside: string;
  /** A TCP and a UDP service on loopback, and a Unix socket outside. */
  readonly tcp: number;
  readonly udp: number;
  readonly unix: string;
  readonly host: number;
  /** Where a signal would open the inspector of the host. */
  readonly inspector: number;
  /** Part of the name of each file that an attempt writes. */
  readonly id: string;
}

type Attempt = (target: Target) => unknown;

const files: Readonly<Record<string, Attempt>> = {
  "read a granted file": ({ box }) => readFileSync(join(box, "inside.txt"), "utf8"),
  "write into a granted folder": ({ box, id }) => writeFileSync(join(box, `${id}.txt`), "x"),
  "write a heap snapshot": ({ outside, id }) => writeHeapSnapshot(join(outside, `${id}.heapsnapshot`)),
  "read a file": ({ outside }) => readFileSync(join(outside, "secret.txt"), "utf8"),
  "read a file of a folder whose name begins like a granted one": ({ box }) =>
    readFileSync(join(`${box}-evil`, "secret.txt"), "utf8"),
  "ask for the facts of a file": ({ outside }) => statSync(join(outside, "secret.txt")).size,
  "list a folder": ({ outside }) => readdirSync(outside).length,
  "watch a folder": ({ outside }) => watch(outside).close(),
  "open a file as a blob": async ({ outside }) => (await openAsBlob(join(outside, "secret.txt"))).text(),
  "import a file": async ({ outside }) => {
    await import(pathToFileURL(join(outside, "module.mjs")).href);
  },
  "resolve a path": ({ outside }) => realpathSync(join(outside, "secret.txt")),
  "make it the working folder": ({ outside }) => process.chdir(outside),
  "write a file": ({ outside, id }) => writeFileSync(join(outside, `${id}.txt`), "x"),
  "read through a link that is there": ({ box }) => readFileSync(join(box, "link"), "utf8"),
  "write through a link that is there": ({ box }) => writeFileSync(join(box, "link-to-write"), "x"),
  "read through a new link": ({ box, outside, id }) => {
    symlinkSync(join(outside, "secret.txt"), join(box, `${id}-link`));
    return readFileSync(join(box, `${id}-link`), "utf8");
  },
  "read through a new relative link": ({ box, id }) => {
    symlinkSync("../outside/secret.txt", join(box, `${id}-relative`));
    return readFileSync(join(box, `${id}-relative`), "utf8");
  },
  "read through a new hard link": ({ box, outside, id }) => {
    linkSync(join(outside, "secret.txt"), join(box, `${id}-hard`));
    return readFileSync(join(box, `${id}-hard`), "utf8");
  },
  "open a database with node:sqlite": async ({ outside, id }) => {
    const { DatabaseSync } = await import("node:sqlite");
    new DatabaseSync(join(outside, `${id}.db`)).close();
  },
  "write a diagnostic report": ({ outside, id }) => {
    process.report.directory = outside;
    const name = process.report.writeReport(`${id}.report.json`);
    return readFileSync(join(outside, name)).length;
  },
};

const programs: Readonly<Record<string, Attempt>> = {
  "start a program": () => {
    const { error, stdout } = spawnSync("/bin/sh", ["-c", "echo ran"], { encoding: "utf8" });
    if (error !== undefined) throw error;
    return stdout;
  },
  "start a program by an internal binding": () => {
    const { binding } = process as unknown as { binding(name: string): { spawn(options: object): object } };
    const stdio = [{ type: "ignore" }, { type: "ignore" }, { type: "ignore" }];
    const options = { file: "/bin/sh", args: ["/bin/sh", "-c", "exit 0"], envPairs: [], stdio };
    return binding("spawn_sync").spawn(options);
  },
  "start a thread": async () => {
    const thread = new Worker("0", { eval: true });
    await new Promise((resolve, reject) => thread.once("exit", resolve).once("error", reject));
  },
  "load an addon": ({ box }) => {
    try {
      process.dlopen({ exports: {} }, join(box, "inside.txt"));
    } catch (error) {
      // The file is no addon; the loader was reached.
      if ((error as { code?: string }).code !== "ERR_DLOPEN_FAILED") throw error;
    }
  },
  "use WASI": ({ outside }) => typeof new WASI({ version: "preview1", preopens: { "/": outside } }),
  "open the inspector": () => {
    inspector.open(0, "127.0.0.1");
    inspector.close();
  },
  "leave a process behind": ({ id }) => {
    // In a session of its own, and without an environment: nothing of a process is left to find it by, but its limits.
    const child = spawn("/bin/sleep", [`600.${id}`], { detached: true, stdio: "ignore", env: {} });
    if (child.pid === undefined) throw new Error("it did not start");
    child.unref();
    return child.pid;
  },
  "send a signal to the host": ({ host }) => process.kill(host, 0),
  "send a signal by an internal function": ({ host }) => {
    // oxlint-disable-next-line no-underscore-dangle -- Node's own name
    const sent = (process as unknown as { _kill(pid: number, signal: number): number })._kill(host, 0);
    if (sent !== 0) throw new Error("it was not sent");
  },
  "send a signal by the handle of a program that was never started": () => {
    const { ChildProcess: Child } = childProcess as unknown as {
      ChildProcess: new () => { _handle: Handle };
    };
    // oxlint-disable-next-line no-underscore-dangle -- Node's own name
    return new Child()._handle.kill(0);
  },
  "open the inspector of the host by a signal": async ({ host, inspector: port }) => {
    process.kill(host, "SIGUSR1");
    for (let left = 100; ; left--) {
      const socket = await connected(connect(port, "127.0.0.1")).catch((error: Error) => error);
      if (socket === "connected") return socket;
      if (left === 0) throw socket;
      await setTimeout(20);
    }
  },
  "list the host's open files in /proc": ({ host }) => readdirSync(`/proc/${host}/fd`).length,
  "write a setting of the kernel": () => closeSync(openSync("/proc/sys/kernel/core_pattern", "r+")),
  "make a read-only folder writable": () => {
    const steps = "mount --bind /usr /usr && mount -o remount,rw,bind /usr && test -w /usr";
    const { error, status, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", steps], {
      encoding: "utf8",
    });
    if (status !== 0) throw error ?? new Error(stderr);
  },
  "read the host's environment in /proc": ({ host }) => readFileSync(`/proc/${host}/environ`).length,
  "see the host among the processes": ({ host }) => {
    if (!readdirSync("/proc").includes(String(host))) throw new Error("it is not there");
  },
};

const network: Readonly<Record<string, Attempt>> = {
  "connect to a service on loopback": ({ tcp }) => connected(connect(tcp, "127.0.0.1")),
  "connect to a Unix socket": ({ unix }) => connected(connect(unix)),
  "connect to a Unix socket in a granted folder": ({ box }) => connected(connect(join(box, "granted.sock"))),
  "listen on a Unix socket in a granted folder": ({ box, id }) =>
    new Promise((resolve, reject) => {
      process.once("uncaughtException", reject);
      const server = createServer().once("error", reject);
      server.listen(join(box, `${id}.sock`), () => server.close(() => resolve("listened")));
    }),
  "send a datagram": ({ udp }) =>
    new Promise((resolve, reject) => {
      const socket = createSocket("udp4").once("error", reject);
      socket.once("message", () => socket.close(() => resolve("answered")));
      socket.connect(udp, "127.0.0.1", () => socket.send("x"));
    }),
  "ask a name server": async ({ udp }) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${udp}`]);
    try {
      await resolver.resolve4("toolmount.example");
    } catch (error) {
      // The service of the test answers with something else.
      if ((error as { code?: string }).code !== "EBADRESP") throw error;
    }
  },
  "listen on a port": () =>
    new Promise((resolve, reject) => {
      // Node 26 throws its refusal where no caller can catch it.
      process.once("uncaughtException", reject);
      const server = createServer().once("error", reject);
      server.listen(0, "127.0.0.1", () => server.close(() => resolve("listened")));
    }),
};

function connected(socket: ReturnType<typeof connect>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(socket.destroy() && "connected")).once("error", reject);
  });
}

/** The attempts by the words of the table in docs/reference/borders.md. */
export const attempts: Readonly<Record<string, Attempt>> = { ...files, ...programs, ...network };
