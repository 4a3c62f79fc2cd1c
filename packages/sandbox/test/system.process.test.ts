import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import {
  basicVariables,
  killTree,
  programCommand,
  signalTree,
  treeOptions,
  type ProcessSystem,
} from "../src/index.ts";

/** A system with these processes, which notes each signal and each program that is started. */
function systemWith(
  platform: NodeJS.Platform,
  alive: readonly number[],
  parents: readonly (readonly [number, number])[] = [],
) {
  const seen: string[] = [];
  const system: ProcessSystem = {
    platform,
    kill(pid, signal) {
      if (signal !== 0) seen.push(`kill ${pid} ${signal}`);
      if (!alive.includes(pid)) throw Object.assign(new Error("ESRCH"), { code: "ESRCH" });
    },
    parents: () => parents,
    start(file, args, onError) {
      seen.push([file, ...args].join(" "));
      if (!alive.includes(0)) onError();
    },
  };
  return { seen, system };
}

test.each(["linux", "darwin"] as const)("on %s a tree is its process group", (platform) => {
  const { seen, system } = systemWith(platform, [-7]);

  expect(signalTree(7, 0, system)).toBe(true);
  expect(signalTree(7, "SIGTERM", system)).toBe(true);
  expect(signalTree(7, "SIGKILL", system)).toBe(true);
  expect(signalTree(8, "SIGKILL", system)).toBe(false);
  expect(seen).toEqual(["kill -7 SIGTERM", "kill -7 SIGKILL", "kill -8 SIGKILL"]);
  expect(treeOptions(platform)).toEqual({ detached: true, windowsHide: true });
});

test("on Windows a tree ends by taskkill, there is no SIGTERM, and a program that has ended is left alone", () => {
  const { seen, system } = systemWith("win32", [7, 0]);

  expect(signalTree(7, "SIGTERM", system)).toBe(true);
  expect(seen).toEqual([]);
  expect(signalTree(7, "SIGKILL", system)).toBe(true);
  expect(signalTree(8, "SIGKILL", system)).toBe(false);
  expect(seen).toEqual(["taskkill /pid 7 /t /f"]);
  expect(treeOptions("win32")).toEqual({ detached: false, windowsHide: true });
});

test("on Windows without taskkill the program itself is killed", () => {
  const { seen, system } = systemWith("win32", [7]);

  expect(signalTree(7, "SIGKILL", system)).toBe(true);
  expect(seen).toEqual(["taskkill /pid 7 /t /f", "kill 7 SIGKILL"]);
});

test("a tree that is killed is stopped first, with the groups below it", () => {
  const parents = [
    [7, 1],
    [8, 7],
    [9, 8],
    [10, 1],
  ] as const;
  const linux = systemWith("linux", [7, -7, 8, 9, 10], parents);
  const windows = systemWith("win32", [7, 0], parents);

  killTree(7, linux.system);
  killTree(7, windows.system);

  expect(linux.seen).toEqual([
    "kill 7 SIGSTOP",
    "kill 8 SIGSTOP",
    "kill 9 SIGSTOP",
    "kill -7 SIGKILL",
    "kill 7 SIGKILL",
    "kill 8 SIGKILL",
    "kill 9 SIGKILL",
  ]);
  expect(windows.seen).toEqual(["taskkill /pid 7 /t /f"]);
});

test("a process of another user is there, although it cannot be signalled", () => {
  const system: ProcessSystem = {
    ...systemWith("linux", []).system,
    kill() {
      throw Object.assign(new Error("EPERM"), { code: "EPERM" });
    },
  };
  expect([signalTree(7, 0, system), signalTree(7, "SIGKILL", system)]).toEqual([true, false]);
});

test("a program and what it started end here", async () => {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
    ...treeOptions(),
  });
  const ended = once(child, "exit");
  await once(child, "spawn");

  expect(signalTree(child.pid!, "SIGKILL")).toBe(true);
  expect(await ended).toEqual([null, "SIGKILL"]);
});

const windows = {
  platform: "win32" as const,
  env: {
    Path: "C:\\Windows;C:\\Program Files\\nodejs",
    PATHEXT: ".COM;.EXE;.BAT;.CMD",
    ComSpec: "C:\\cmd.exe",
  },
  exists: (file: string) =>
    [
      "c:\\program files\\nodejs\\node.exe",
      "c:\\program files\\nodejs\\npx.cmd",
      "c:\\tools\\go.bat",
    ].includes(file.toLowerCase()),
};

test("elsewhere than on Windows a program starts as it is named", () => {
  expect(programCommand("npx", ["-y", "a b"], { platform: "darwin", env: {} })).toEqual({
    file: "npx",
    args: ["-y", "a b"],
    options: {},
  });
});

test("on Windows a program is found by PATH and PATHEXT, and started without a shell", () => {
  expect(programCommand("node", ["a & b"], windows)).toEqual({
    file: "C:\\Program Files\\nodejs\\node.exe",
    args: ["a & b"],
    options: {},
  });
  expect(programCommand("gone", ["a"], windows)).toEqual({ file: "gone", args: ["a"], options: {} });
});

test.each([
  ["plain", String.raw`^^^"plain^^^"`],
  ["two words", String.raw`^^^"two^^^ words^^^"`],
  ['say "hi"', String.raw`^^^"say^^^ \^^^"hi\^^^"^^^"`],
  ["a & del b", String.raw`^^^"a^^^ ^^^&^^^ del^^^ b^^^"`],
  ["%PATH%", String.raw`^^^"^^^%PATH^^^%^^^"`],
  ["ends\\", String.raw`^^^"ends\\^^^"`],
  ["", String.raw`^^^"^^^"`],
])("on Windows npx runs in cmd.exe, which reads the argument %j as a text", (argument, escaped) => {
  expect(programCommand("npx", [argument], windows)).toEqual({
    file: "C:\\cmd.exe",
    args: ["/d", "/s", "/c", String.raw`"C:\Program^ Files\nodejs\npx.cmd ${escaped}"`],
    options: { windowsVerbatimArguments: true },
  });
});

test.each([
  ["npx", {}, "C:\\Program Files\\nodejs\\npx.cmd"],
  ["npx.cmd", {}, "C:\\Program Files\\nodejs\\npx.cmd"],
  ["node", { PATHEXT: ".CMD" }, "node"],
  ["node.exe", { PATHEXT: ".CMD" }, "C:\\Program Files\\nodejs\\node.exe"],
  ["C:\\tools\\go", {}, "C:\\tools\\go.bat"],
  ["C:/tools/go", {}, "C:\\tools\\go.bat"],
  ["go", {}, "go"],
  ["go", { PATH: "C:\\none;;C:\\tools" }, "C:\\tools\\go.bat"],
])("on Windows %s with the variables %j is %s", (command, more, found) => {
  const { Path: PATH } = windows.env;
  const { file, args } = programCommand(command, ["x"], { ...windows, env: { PATH, ...more } });

  // Without COMSPEC and PATHEXT there are the usual ones.
  if (!/\.(?:cmd|bat)$/.test(found)) expect([file, args]).toEqual([found, ["x"]]);
  else
    expect([file, args]).toEqual([
      "cmd.exe",
      ["/d", "/s", "/c", `"${found.replaceAll(" ", "^ ")} ^^^"x^^^""`],
    ]);
});

test.each(["a\nb", "a\rb", "a\0b"])("on Windows a batch file takes no %j", (argument) => {
  expect(() => programCommand("C:\\tools\\go.bat", ["fit", argument], windows)).toThrow(
    new RangeError(`"C:\\tools\\go.bat" is a batch file, and ${JSON.stringify(argument)} has a line break`),
  );
  const long = `${"x".repeat(100)}y${argument}`;
  expect(() => programCommand("C:\\tools\\go.bat", [long], windows)).toThrow(
    new RangeError(`"C:\\tools\\go.bat" is a batch file, and "${"x".repeat(100)}" has a line break`),
  );
});

test("on Windows a batch file takes no line break, because cmd.exe would begin a command with it", () => {
  expect(() => programCommand("C:\\tools\\go.bat", ["a\ndel b"], windows)).toThrow(
    new RangeError('"C:\\tools\\go.bat" is a batch file, and "a\\ndel b" has a line break'),
  );
});

test("a process gets the variables that programs of its system need", () => {
  expect(basicVariables("linux")).toEqual(["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"]);
  expect(basicVariables("win32").join(" ")).toBe(
    "PATH PATHEXT SYSTEMROOT SYSTEMDRIVE COMSPEC TEMP TMP HOME USERPROFILE APPDATA LOCALAPPDATA LANG TZ",
  );
  expect(basicVariables()).toEqual(basicVariables(process.platform));
});
