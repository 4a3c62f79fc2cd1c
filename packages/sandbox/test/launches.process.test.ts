import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Border, Grants } from "../src/border/border.ts";
import { bubblewrapBorder } from "../src/border/bubblewrap.ts";
import { permissionBorder } from "../src/border/permission.ts";
import { endWithParent, plainBorder } from "../src/border/plain.ts";
import { probeBorder } from "../src/border/probe.ts";
import { readablePaths } from "../src/border/readable.ts";

const coversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");
const program = { node: process.execPath, options: ["--own"], file: "/code/main.js", code: ["/code"] };
const grants: Grants = {
  read: ["/data"],
  write: ["/box"],
  denied: [],
  network: undefined,
  memoryMb: undefined,
  env: { PATH: "/nothing" },
  cwd: "/",
};
const setpriv = ["--pdeathsig", "KILL", "--"];

test("a process ends with its host where the machine can do that", () => {
  const launch = { file: "/bin/node", args: ["a"], env: { PATH: process.env["PATH"]! } };
  const wrapped = endWithParent(launch, "linux");
  expect(wrapped.args).toEqual([...setpriv, "/bin/node", "a"]);
  expect(wrapped.file).toMatch(/\/setpriv$/);
  expect(endWithParent(launch, "darwin")).toEqual(launch);
  const bare = { ...launch, env: { PATH: "/nothing" } };
  expect(endWithParent(bare, "linux")).toEqual(bare);
});

test("without a border a process is Node with its options, its memory and its variables", async () => {
  const { file, args, env } = await plainBorder.launch(program, grants);
  expect([file, args]).toEqual([process.execPath, ["--own", "/code/main.js"]]);
  expect(env).toMatchObject(grants.env);
  const limited = await plainBorder.launch(program, { ...grants, memoryMb: 64 });
  expect(limited.args).toEqual(["--max-old-space-size=64", "--own", "/code/main.js"]);
});

describe("Node's permission model", () => {
  const launch = (more: Partial<Grants>) => permissionBorder.launch(program, { ...grants, ...more });

  test("reads the code and what is granted, writes what is granted, and no more", async () => {
    const { file, args, env } = await launch({ memoryMb: 64 });
    expect([file, env]).toEqual([process.execPath, grants.env]);
    expect(args).toEqual([
      "--permission",
      "--allow-fs-read=/code",
      "--allow-fs-read=/data",
      "--allow-fs-read=/box",
      "--allow-fs-write=/box",
      "--no-experimental-sqlite",
      "--max-old-space-size=64",
      "--own",
      "/code/main.js",
    ]);
    expect(process.listenerCount("SIGUSR1")).toBeGreaterThan(0);
    const listeners = process.listenerCount("SIGUSR1");
    await launch({});
    expect(process.listenerCount("SIGUSR1")).toBe(listeners);
  });

  test("has the network where the plan allows all of it, and no single hosts", async () => {
    expect((await launch({ network: "any" })).args.includes("--allow-net")).toBe(coversNetwork);
    const refused = (problem: string) => ({
      code: "SANDBOX_UNAVAILABLE",
      details: { border: "permission", problem },
    });
    const hosts = async () => launch({ network: ["example.com"] });
    const none = async () => launch({ network: "none" });
    if (coversNetwork) {
      await expect(hosts()).rejects.toMatchObject(
        refused("Node's permission model cannot allow single hosts"),
      );
      expect((await none()).args).not.toContain("--allow-net");
    } else {
      const problem = `Node ${process.versions.node} cannot keep a process from the network; Node 25 can`;
      await expect(hosts()).rejects.toMatchObject(refused(problem));
      await expect(none()).rejects.toMatchObject(refused(problem));
    }
  });
});

describe("bubblewrap", () => {
  test("says what is missing, and allows no single hosts", () => {
    const launch = (more: Partial<Grants>) => () => bubblewrapBorder.launch(program, { ...grants, ...more });
    expect(launch({})).toThrow(
      expect.objectContaining({
        details: { border: "bubblewrap", problem: "bwrap is not on PATH; install the package bubblewrap" },
      }),
    );
    expect(launch({ network: ["example.com"] })).toThrow(
      expect.objectContaining({
        code: "SANDBOX_UNAVAILABLE",
        details: {
          border: "bubblewrap",
          problem: 'it cannot allow single hosts; network is "none" or "any", or the border is srt',
        },
      }),
    );
  });

  test("counts what is in memory but the folders that the plan grants", async () => {
    const path = { env: { PATH: process.env["PATH"]! }, read: [], write: [], cwd: "/tmp" };
    const of = async (more: Partial<Grants>) =>
      (await bubblewrapBorder.launch({ ...program, code: [] }, { ...grants, ...path, ...more }))
        .foldersInMemory;
    const all = await of({});
    expect(all).toContain("/tmp");
    expect(await of({ write: ["/tmp"] })).toEqual(all!.filter((folder) => folder !== "/tmp"));
  });
});

describe("the trial of a border", () => {
  const launching = (script: string): Border => ({
    name: "permission",
    launch: () => ({ file: process.execPath, args: ["-e", script], env: {} }),
  });
  const here = { ...grants, cwd: "/tmp" };

  test.each([
    ["console.log(6 * 7)", null],
    ["console.log('forty-two')", 'a process behind it printed "forty-two\\n"'],
    ["console.error('no key')", "no key"],
    ["", 'a process behind it printed ""'],
  ])("of a process that does '%s' finds %s", async (script, problem) => {
    expect(await probeBorder(launching(script), here)).toEqual({ problem, stopped: [] });
  });

  test("has what the proof of the border found, and starts nothing where that failed", async () => {
    const proved = (problem: string | null): Border => ({
      ...launching("console.log(42)"),
      prove: async () => ({ problem, stopped: ["read a file"] }),
    });
    expect(await probeBorder(proved(null), here)).toEqual({ problem: null, stopped: ["read a file"] });
    expect(await probeBorder(proved("it leaks"), here)).toEqual({
      problem: "it leaks",
      stopped: ["read a file"],
    });
  });

  test("says why a border cannot be built; a plan without a border tries nothing", async () => {
    const failing: Border = {
      name: "permission",
      launch: () => {
        throw new Error("x".repeat(501));
      },
    };
    expect((await probeBorder(failing, here)).problem).toBe("x".repeat(500));
    expect(
      (await probeBorder(bubblewrapBorder, { ...here, network: ["a"] }).catch(
        (error: Error) => error,
      )) as object,
    ).toMatchObject({
      message: expect.stringContaining("single hosts"),
    });
    expect(await probeBorder({ ...failing, name: "none" }, here)).toEqual({ problem: null, stopped: [] });
  });
});

test("a folder with a secret is readable but for the secret, unless the plan names it", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-readable-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["a/deep", "b"]) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["a/.env", "a/x.js", "a/deep/key", "a/deep/y.js", "b/z.js"])
    writeFileSync(join(root, file), "");
  const of = (paths: string[], secret: string[]) =>
    readablePaths(
      paths.map((path) => join(root, path)),
      secret.map((path) => join(root, path)),
    ).map((path) => path.slice(root.length + 1));
  expect(of(["a", "b", "b"], [])).toEqual(["a", "b"]);
  expect(of(["a", "b"], ["a/.env", "a/deep/key"]).toSorted()).toEqual(["a/deep/y.js", "a/x.js", "b"]);
  expect(of(["a", "a/.env"], ["a/.env"]).toSorted()).toEqual(["a/.env", "a/deep", "a/x.js"]);
  expect(of(["a/.env"], ["a/.env"])).toEqual(["a/.env"]);
  expect(of(["b", "gone"], ["a/.env"])).toEqual(["b", "gone"]);
});
