// A module whose tool does what a row of the first table in docs/reference/borders.md says, if its border lets it.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { data, defineTool, type Coordinator } from "@toolmount/core";
import { z } from "zod";
import { attempts, type Target } from "./escapes.ts";

/** Where the code of the tool goes, beside the places of `escapes.ts`. */
export interface Place extends Target {
  readonly home: string;
  /** A file that the host makes while the tool runs, if it can. */
  readonly meanwhile: string;
  /** Milliseconds in which the host can notice what is too much; none where no host watches. */
  readonly noticeMs: number;
}

/** Milliseconds of the processor. */
const spent = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const kept: Buffer[] = [];

/** Each throws, or does it; a text says more. */
const own: Readonly<Record<string, (place: Place) => unknown>> = {
  "keep the host from its work": ({ meanwhile }) => {
    for (const start = spent(); spent() - start < 3_000;)
      if (existsSync(meanwhile)) throw new Error("the host works");
  },
  "end its process": () => process.exit(7),
  "have a variable of the host": () => {
    if (process.env["TOOLMOUNT_CANARY"] === undefined) throw new Error("it is not there");
  },
  "read a file of the home folder": ({ home }) => readFileSync(join(home, "secret.txt"), "utf8"),
  "see where a program runs": ({ host }) => {
    const { error, stdout } = spawnSync("/bin/cat", [`/proc/${host}/cmdline`], { encoding: "utf8" });
    if (error !== undefined) throw error;
    return stdout.includes("ability-attempts") ? "on the machine" : "in a sandbox";
  },
  "open a database in a granted folder": async ({ box, id }) => {
    const { DatabaseSync } = await import("node:sqlite");
    new DatabaseSync(join(box, `${id}.db`)).close();
  },
  "have 500 MB": async ({ noticeMs }) => {
    for (let parts = 0; parts < 25; parts++) kept.push(Buffer.alloc(20_971_520, 1));
    await setTimeout(noticeMs);
    kept.length = 0;
  },
  "be 520 processes": async ({ id, noticeMs }) => {
    const children = Array.from({ length: 520 }, () =>
      spawn("/bin/sleep", [`900.${id}`], { stdio: "ignore" }),
    );
    const started = (child: (typeof children)[number]) =>
      new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    await Promise.all(children.map(started));
    await setTimeout(noticeMs);
    for (const child of children) child.kill("SIGKILL");
  },
  "use the processor": () => {
    for (const start = spent(); spent() - start < 300;);
  },
  "reach a host that is listed": ({ tcp }) => throughProxy(`localhost:${tcp}`),
  "reach another host": () => throughProxy("toolmount.example:80"),
};

/** Asks the proxy that the environment names for a connection. */
function throughProxy(goal: string): Promise<unknown> {
  const { hostname, port, username, password } = new URL(process.env["HTTP_PROXY"] ?? "");
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    "base64",
  );
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname).once("error", reject);
    socket.write(`CONNECT ${goal} HTTP/1.1\r\nhost: ${goal}\r\nproxy-authorization: Basic ${login}\r\n\r\n`);
    socket.once("data", (answer) => {
      socket.destroy();
      if (String(answer).startsWith("HTTP/1.1 200 ")) resolve("connected");
      else reject(new Error(String(answer).slice(0, 80)));
    });
  });
}

const abilities = { ...attempts, ...own };

const probe = defineTool({
  name: "probe",
  description: "Does what a row of a table says. Use it in tests. Not for anything else.",
  schema: z.strictObject({ act: z.string(), value: z.json() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async ({ act, value }) => {
    try {
      const said = await abilities[act]!(value as unknown as Place);
      return data({ did: typeof said === "string" ? said : "yes" });
    } catch (error) {
      return data({ refused: (error as Error).message });
    }
  },
});

export function mount(coordinator: Coordinator): void {
  coordinator.mount("tools", probe);
}
