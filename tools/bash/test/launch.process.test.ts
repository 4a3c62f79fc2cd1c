import { existsSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { bubblewrapArguments, sandboxMounts, systemCallFilter, wallMounts } from "@toolmount/sandbox";
import type { Settings } from "@toolmount/tool-bash";
import { expect, onTestFinished, test } from "vitest";
import { openShell, type Services } from "../src/shell.ts";
import { fakeBubblewrap, works } from "./fake-bubblewrap.ts";
import { scratch } from "./world.ts";

/** A shell over a folder of its own, whose real place it has; nothing is started. */
function opened(settings: Settings = {}, services: Services = {}) {
  const folder = realpathSync(scratch());
  const shell = openShell(
    { working_dir: folder, isolation: "none", ...settings },
    { environment: { PATH: "/bin", HOME: "/home/ada" }, ...services },
  );
  onTestFinished(() => shell.close());
  return { shell, folder, launch: () => shell.launcher("echo 'a  b'", "the mark") };
}

/** The variables of a launch without the mark of the host, which is another one each time. */
function variablesOf({ env }: { readonly env: Readonly<Record<string, string>> }) {
  const { TOOLMOUNT_HOST_ID: mark, ...others } = env;
  expect(mark).toMatch(/^\d*\.\d+\.\d*\.[0-9a-f-]{36}$/);
  return others;
}

const words = ["--noprofile", "--norc", "-c", "echo 'a  b'"];

test("without a sandbox the shell itself is started, with the command byte for byte and no start-up files", () => {
  const { launch, folder } = opened();
  const { env, ...rest } = launch();
  expect(rest).toEqual({ file: "bash", args: words, cwd: folder, sandbox: false });
  expect(variablesOf({ env })).toEqual({
    PATH: "/bin",
    HOME: "/home/ada",
    USER: userInfo().username,
    LANG: "C.UTF-8",
    TERM: "dumb",
    TOOLMOUNT_COMMAND_ID: "the mark",
  });
  expect(opened({ shell: "/usr/bin/bash" }).launch().file).toBe("/usr/bin/bash");
});

/** Variables that a command gets as the host has them. */
const passed = {
  PATH: "/p",
  HOME: "/h",
  USER: "u",
  LANG: "de_DE.UTF-8",
  LC_ALL: "C",
  TZ: "UTC",
  TMPDIR: "/t",
};

test("commands get the variables that every program needs, those that the plan passes, and those that it sets", () => {
  const environment = {
    ...passed,
    TERM: "xterm",
    MINE: "passed",
    OTHER: "not passed",
    SET: "of the host",
  };
  const settings = { pass_env: ["MINE", "SET", "GONE"], env: { SET: "of the plan", NEW: "1" } };
  const { launch } = opened(settings, { environment });
  expect(variablesOf(launch())).toEqual({
    ...passed,
    TERM: "dumb",
    MINE: "passed",
    SET: "of the plan",
    NEW: "1",
    TOOLMOUNT_COMMAND_ID: "the mark",
  });
  expect(variablesOf(opened({}, { environment: {} }).launch())).toEqual({
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: homedir(),
    USER: userInfo().username,
    LANG: "C.UTF-8",
    TERM: "dumb",
    TOOLMOUNT_COMMAND_ID: "the mark",
  });
});

test.each([false, true])("in the sandbox with network %s only granted paths are there", (network) => {
  const [more, read] = [realpathSync(scratch()), realpathSync(scratch())];
  const { launch, folder } = opened(
    {
      isolation: "bubblewrap",
      network,
      allowed_write_paths: [more],
      denied_write_paths: [join(more, "kept")],
      allowed_read_paths: [read],
    },
    { protectedPaths: () => ["/plan.yaml", "**/.hooks", "**/*.pem"], secretPaths: () => [join(read, "key")] },
  );
  const { env, filter, args, ...rest } = launch();
  expect(rest).toEqual({ file: "bwrap", cwd: folder, sandbox: true });
  expect(env).toEqual({ PATH: "/bin" });
  expect(filter).toEqual(systemCallFilter({ network }));
  const inside = { PATH: "/bin", HOME: "/tmp", TMPDIR: "/tmp" };
  const mounts = sandboxMounts({
    cwd: folder,
    read: [read, folder],
    write: [more],
    denied: [join(more, "kept"), "/plan.yaml", "**/.hooks", "**/*.pem", join(folder, ".hooks")],
    secret: [join(read, "key")],
    network,
  });
  const plain = bubblewrapArguments({ cwd: folder, env: {}, statusDescriptor: 3 }, mounts);
  const at = args.indexOf("--setenv");
  expect([...args.slice(0, at), "--"]).toEqual(plain);
  expect(args.slice(-6)).toEqual(["--", "bash", ...words]);
  const set = args.slice(at, -6).join(" ");
  for (const [name, value] of Object.entries({ ...inside, TOOLMOUNT_COMMAND_ID: "the mark" }))
    expect(set).toContain(`--setenv ${name} ${value}`);
});

test("the home in the sandbox is the plan's, where it names one", () => {
  const { launch } = opened({ isolation: "bubblewrap", env: { HOME: "/mine", TMPDIR: "/of the plan" } });
  expect(launch().args.join(" ")).toContain(" --setenv HOME /mine ");
  expect(launch().args.join(" ")).toContain(" --setenv TMPDIR /tmp ");
});

test.runIf(process.platform === "linux")(
  "with auto, a sandbox that works is the wall, whose /tmp is a folder of the shell",
  async () => {
    const environment = fakeBubblewrap(works);
    const { shell, launch, folder } = opened({ isolation: "auto" }, { environment });
    expect(launch().file).toBe("bash");
    expect(await shell.prepare()).toBeNull();
    expect(shell.takeWallProblem()).toBeNull();
    const { file, args, env, sandbox } = launch();
    expect([file, env, sandbox]).toEqual(["bwrap", { PATH: environment.PATH }, true]);
    const temporary = args[args.indexOf("/tmp") - 1]!;
    expect(temporary.startsWith(join(tmpdir(), "toolmount-tmp-"))).toBe(true);
    const mounts = wallMounts({ cwd: folder, write: [folder], denied: [], read: [], secret: [], temporary });
    expect([...args.slice(0, args.indexOf("--setenv")), "--"]).toEqual(
      bubblewrapArguments({ cwd: folder, env: {}, statusDescriptor: 3 }, mounts),
    );
    const text = args.join(" ");
    for (const variable of [
      "XDG_CACHE_HOME /tmp/.cache",
      "npm_config_cache /tmp/.npm",
      "GOCACHE /tmp/.cache/go",
      "TMPDIR /tmp",
    ])
      expect(text).toContain(`--setenv ${variable} `);
    expect(existsSync(temporary)).toBe(true);
    await shell.close();
    expect(existsSync(temporary)).toBe(false);
  },
);

test.runIf(process.platform === "linux").each([
  ["echo ' no namespaces ' >&2; exit 1", "no namespaces"],
  [`printf '%0600d' 0 >&2; exit 1`, "0".repeat(500)],
  ["exit 0", "the sandbox did not start"],
  [`echo "{ \\"exit-code\\": 0 }" >&3; exit 0`, "it ended with exited"],
  [`echo ready; echo more; echo "{ \\"exit-code\\": 0 }" >&3; exit 0`, "it ended with exited"],
  [`echo ready; echo "{ \\"exit-code\\": 1 }" >&3; exit 1`, "it ended with exited"],
  ["exit 1", "the sandbox did not start"],
])("a sandbox that holds but does %j is not used: %s", async (body, problem) => {
  const environment = fakeBubblewrap(body);
  const insisting = opened({ isolation: "bubblewrap" }, { environment });
  const asks = opened(
    { isolation: "auto" },
    { environment: { ...environment, PATH: `${environment.PATH}:` } },
  );
  expect(await insisting.shell.prepare()).toBe(problem);
  expect(insisting.launch().file).toBe("bwrap");
  expect(await asks.shell.prepare()).toBeNull();
  expect(asks.launch().file).toBe("bash");
  expect([asks.shell.takeWallProblem(), asks.shell.takeWallProblem()]).toEqual([problem, null]);
});

test("folders that are needed are made, but none outside, and the wall is tried once", async () => {
  const base = realpathSync(scratch());
  mkdirSync(join(base, "real"));
  symlinkSync("real", join(base, "linked"));
  const { shell } = opened({ working_dir: join(base, "linked/work/deep") });
  expect(await shell.prepare()).toBeNull();
  expect(existsSync(join(base, "real/work/deep"))).toBe(true);
  expect(shell.launcher("x", "m").cwd).toBe(join(base, "real/work/deep"));
  const other = opened({ allowed_write_paths: [join(base, "not made")] });
  expect(await other.shell.prepare()).toBeNull();
  expect(existsSync(join(base, "not made"))).toBe(false);
});

test("borders follow the protected paths of a plan that was changed, and stay where it was not", () => {
  let paths: readonly string[] = [];
  const { shell, folder } = opened({}, { protectedPaths: () => paths });
  const before = shell.files;
  expect(shell.files).toBe(before);
  expect(shell.files.allows(join(folder, "plan.yaml"), "write")).toBe(true);
  paths = [join(folder, "plan.yaml")];
  expect(shell.files).not.toBe(before);
  expect(shell.files.allows(join(folder, "plan.yaml"), "write")).toBe(false);
});

test("Windows has no bash", () => {
  expect(() => openShell({ working_dir: "/" }, { platform: "win32" })).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(
        "bash is not supported on Windows; remove it from the plan, or run toolmount in WSL",
      ),
    }),
  );
});

test("how long processes may take is a tenth of a second to end, and half a second when asked", () => {
  expect(opened().shell.patience).toEqual({ lingerMs: 100, graceMs: 500 });
});
