import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Report, Target } from "../src/proof/attempts.ts";

/** A target without anything to reach, in a folder of its own. */
function targetIn(more: Partial<Target> = {}): Target & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-attempts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    names: [],
    secret: join(folder, "secret"),
    denied: join(folder, "box/denied"),
    outside: join(folder, "outside"),
    home: { path: join(folder, "home"), identity: "1 1" },
    namespaces: { pid: "pid:[1]", ipc: "ipc:[1]" },
    port: 1,
    abstract: "toolmount no such socket",
    sized: [],
    maxBytes: 1,
    descriptors: ["1 1"],
    variable: "TOOLMOUNT_NOT_SET",
    programs: {},
    ...more,
  };
}

/** Makes the attempts on this machine, where no sandbox stops them. */
async function attempt(target: Target, { env = {}, inherited = [] as number[] } = {}) {
  const program = new URL("../src/proof/attempts.ts", import.meta.url).href;
  // As in a sandbox, the target is the first argument of a program without a file.
  const words = ["--no-warnings", "--import", program, "--eval", "", JSON.stringify(target)];
  const child = spawn(process.execPath, words, {
    stdio: ["ignore", "pipe", "inherit", ...inherited],
    env: { ...process.env, ...env },
  });
  return JSON.parse(await text(child.stdout!)) as Report;
}

/** What is there to be reached, by the name of an attempt. */
const files = {
  "read a secret file": "secret",
  "read a file that is not granted": "outside/file",
  "write a protected file": "box/denied",
} as const;

describe.runIf(process.platform === "linux")("an attempt to break out", () => {
  test("is stopped where there is nothing", async () => {
    const names = [...Object.keys(files), ...reaching, ...connecting];
    expect(await attempt(targetIn({ names }))).toEqual(Object.fromEntries(names.map((name) => [name, null])));
  });

  test("leaks where it reaches a file, a folder or the home", async () => {
    const names = [...Object.keys(files), ...reaching.slice(0, 2)];
    const target = targetIn({ names });
    for (const folder of ["box", "outside", "home"]) mkdirSync(join(target.folder, folder));
    for (const file of Object.values(files)) writeFileSync(join(target.folder, file), "of the host");
    const { path } = target.home;
    const { dev, ino } = statSync(path);
    expect(await attempt({ ...target, names: ["write into the home folder"] })).toEqual({
      "write into the home folder": null,
    });
    expect(await attempt({ ...target, home: { path, identity: `${dev} ${ino}` } })).toEqual(
      Object.fromEntries(names.map((name) => [name, "leaked"])),
    );
    expect(readFileSync(target.denied, "utf8")).toBe("x");
    expect(readFileSync(join(target.outside, "written"), "utf8")).toBe("x");
  });

  test("to read a file that is empty inside got nothing", async () => {
    const target = targetIn({ names: ["read a secret file"] });
    writeFileSync(target.secret, "");
    expect(await attempt(target)).toEqual({ "read a secret file": null });
  });

  test("leaks where it sees the host's namespaces, environment, descriptors and services", async () => {
    const [tcp, unix] = [createServer(), createServer()];
    onTestFinished(() => void [tcp, unix].map((server) => server.close()));
    const target = targetIn();
    const abstract = basename(target.folder);
    tcp.listen(0, "127.0.0.1");
    unix.listen(`\0${abstract}`);
    await Promise.all([once(tcp, "listening"), once(unix, "listening")]);
    const descriptor = openSync(target.folder, "r");
    const { dev, ino } = statSync(target.folder);
    const names = [...reaching.slice(2), ...connecting];
    const report = await attempt(
      {
        ...target,
        names,
        port: (tcp.address() as AddressInfo).port,
        abstract,
        namespaces: Object.fromEntries(
          ["pid", "ipc"].map((kind) => [kind, readlinkSync(`/proc/self/ns/${kind}`)]),
        ),
        descriptors: ["1 1", `${dev} ${ino}`],
        variable: "TOOLMOUNT_ATTEMPT",
      },
      { env: { TOOLMOUNT_ATTEMPT: "1" }, inherited: [descriptor] },
    );
    expect(report).toEqual(Object.fromEntries(names.map((name) => [name, "leaked"])));
  });

  test("to use one namespace of the host is not one to use another", async () => {
    const pid = readlinkSync("/proc/self/ns/pid");
    const names = ["see the processes of the host", "use the shared memory of the host"];
    expect(await attempt(targetIn({ names, namespaces: { pid, ipc: "" } }))).toEqual({
      [names[0]!]: "leaked",
      [names[1]!]: null,
    });
  });

  test("to use rights or the terminal of the host ends as the rights of this process are", async () => {
    const status = readFileSync("/proc/self/status", "utf8");
    const session = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)!.split(" ")[3];
    const isOf = (pattern: RegExp) => (pattern.test(status) ? "leaked" : null);
    const ends = {
      "use a capability of root": isOf(/^Cap(Prm|Eff|Amb):\s*0*[1-9a-f]/m),
      "gain rights by starting a program": isOf(/^NoNewPrivs:\s*0$/m),
      // Its session is that of this process, which is 0 where it began outside of this process's namespace.
      "control the host's terminal": session === "0" ? "leaked" : null,
    };
    expect(await attempt(targetIn({ names: Object.keys(ends) }))).toEqual(ends);
  });

  test("to read a variable needs its whole name", async () => {
    const names = ["read a variable of the host"];
    const target = targetIn({ names, variable: "TOOLMOUNT_ATT" });
    expect(await attempt(target, { env: { TOOLMOUNT_ATTEMPT: "1" } })).toEqual({ [names[0]!]: null });
  });

  test.each([
    ["below the most that one may hold", [""], Number.MAX_SAFE_INTEGER, null],
    ["above it", [""], 1, "leaked"],
    ["above it, after one that cannot be written", ["/dev/null", ""], 1, "leaked"],
    ["that cannot be written", ["/dev/null"], 0, null],
    ["that is not there", ["gone"], 1, "~/gone is not there"],
  ])("to fill a folder in memory %s", async (_, sized, maxBytes, end) => {
    const names = ["fill the memory of the host with files"];
    const target = targetIn({ names, maxBytes });
    const report = await attempt({
      ...target,
      sized: sized.map((each) => (each.startsWith("/") ? each : join(target.folder, each))),
    });
    expect(report[names[0]!]?.replace(target.folder, "~") ?? null).toBe(end);
  });

  const script = (line: string) => Buffer.from(`#!/bin/sh\n${line}\n`).toString("base64");

  test("that is one system call leaks unless the kernel refuses the call as such", async () => {
    const codes = [0, 1, 2, 13, 14, 22, 28, 38, 97, 98];
    const programs = Object.fromEntries(codes.map((code) => [`exit ${code}`, script(`exit ${code}`)]));
    const report = await attempt(targetIn({ names: Object.keys(programs), programs }));
    const refused = codes.filter((code) => report[`exit ${code}`] === null);
    expect(refused).toEqual([1, 13, 28, 38, 97]);
    expect(codes.filter((code) => report[`exit ${code}`] === "leaked")).toEqual([0, 2, 14, 22, 98]);
  });

  test("whose program cannot run is not known, and its files are gone", async () => {
    const programs = {
      "be killed": script("kill -9 $$"),
      "need what is not there": Buffer.from("#!/no/such/program\n").toString("base64"),
      "leave a device": script("touch /dev/shm/device; exit 1"),
    };
    expect(await attempt(targetIn({ names: Object.keys(programs), programs }))).toEqual({
      "be killed": "a program of this machine's kind cannot run: undefined",
      "need what is not there":
        "a program of this machine's kind cannot run: spawnSync /dev/shm/attempt ENOENT",
      "leave a device": null,
    });
    expect(readdirSync("/dev/shm").filter((name) => ["attempt", "device"].includes(name))).toEqual([]);
  });
});

const reaching = [
  "write a file that is not granted",
  "write into the home folder",
  "see the processes of the host",
  "use the shared memory of the host",
  "read a variable of the host",
  "use a descriptor of the host",
];

const connecting = ["connect to a port of the host", "connect to an abstract socket of the host"];
