import { realpathSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { requireBorder, startProgram, type Program } from "../src/mount/process-tree.ts";

const program = (script: string, more: Partial<Program> = {}): Program => ({
  command: "/bin/sh",
  args: ["-c", script],
  env: {},
  cwd: undefined,
  ...more,
});

async function start(script: string, more: Partial<Program> = {}) {
  const tree = await startProgram(program(script, more));
  onTestFinished(() => tree.end());
  return tree;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ["exit 0", { how: "it ended with code 0", isFailure: false }],
  ["exit 1", { how: "it ended with code 1", isFailure: true }],
  ["kill -15 $$", { how: "it was ended by SIGTERM", isFailure: false }],
])("a program that does '%s' reports how it ended", async (script, end) => {
  expect(await (await start(script)).exited).toEqual(end);
});

test("a program gets harmless variables, those of its entry and its mark, and starts in its folder", async () => {
  const folder = realpathSync("/tmp");
  vi.stubEnv("HTTPS_PROXY", "http://proxy:8080");
  vi.stubEnv("http_proxy", "http://me:secret@proxy:8080");
  vi.stubEnv("API_TOKEN", "secret");
  onTestFinished(() => void vi.unstubAllEnvs());
  const tree = await start("pwd; env", { env: { OWN: "yes" }, cwd: folder });
  const [where, ...lines] = (await text(tree.output)).trim().split("\n");
  const names = lines.map((line) => line.split("=")[0]!);
  const harmless = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "PWD", "OLDPWD", "SHLVL", "_"];
  expect(where).toBe(folder);
  expect(lines).toContain("OWN=yes");
  expect(lines.join("\n")).toMatch(/^TOOLMOUNT_SERVER=[0-9a-f-]{36}$/m);
  const given = names.filter(
    (name) => !harmless.includes(name) && !/_CERT|CERT_|_BUNDLE|_registry$|INDEX/i.test(name),
  );
  expect(given.toSorted()).toEqual(["HTTPS_PROXY", "OWN", "TOOLMOUNT_SERVER"]);
});

test("the input, the output and the errors of a program are three streams", async () => {
  const tree = await start("read line; echo got $line; echo bad >&2");
  tree.input.write("it\n");
  expect(await Promise.all([text(tree.output), text(tree.errors)])).toEqual(["got it\n", "bad\n"]);
});

describe("the end of a program", () => {
  test("is asked for by the end of its input", async () => {
    // Where the machine is busy, the signal that follows comes too early.
    const tree = await start("trap '' TERM; cat; exit 4");
    await Promise.all([tree.end(), tree.end()]);
    expect(await tree.exited).toEqual({ how: "it ended with code 4", isFailure: true });
    expect([tree.input.destroyed, tree.output.destroyed, tree.errors.destroyed]).toEqual([true, true, true]);
  });

  test("that does not read its input is asked for by a signal", async () => {
    const tree = await start("sleep 60");
    await tree.end();
    expect(await tree.exited).toEqual({ how: "it was ended by SIGTERM", isFailure: false });
  });

  test.each([
    ["ends with it", "sleep 60 & echo $!"],
    ["is killed where it does not end", `sh -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done' &`],
  ])("what it started %s", async (_, script) => {
    const tree = await start(script);
    const pid = await new Promise<number>((resolve) =>
      tree.output.once("data", (chunk: Buffer) => resolve(Number(chunk.toString()))),
    );
    await tree.exited;
    expect(isAlive(pid)).toBe(true);
    await tree.end();
    while (isAlive(pid)) await delay(5);
    expect(isAlive(pid)).toBe(false);
  });
});

const closed = { read: [], write: [], denied: [], cwd: "/tmp", network: false };

describe("the border of a program", () => {
  test("is tried only for a program that has one", async () => {
    await requireBorder(undefined);
    await requireBorder(program("exit 1"));
  });

  test.each([false, true])(
    "holds on this machine, with network %s, whatever the program is",
    async (network) => {
      await requireBorder(program("exit 1", { sandbox: { ...closed, network } }));
    },
  );

  test.each<[string, Partial<Program>, string]>([
    [
      "without bubblewrap",
      { env: { PATH: "/nothing" }, sandbox: closed },
      "bwrap is not on PATH; install the package bubblewrap",
    ],
    [
      "for a program that is not there",
      { command: "no-such-program", sandbox: closed },
      '"no-such-program" is not on PATH',
    ],
    [
      "around a folder that is not there",
      { sandbox: { ...closed, read: ["/no/such"] } },
      "bwrap: Can't find source path /no/such: No such file or directory",
    ],
  ])("that cannot be built %s is refused with the reason", async (_, more, problem) => {
    await expect(requireBorder(program("exit 0", more))).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      details: { border: "bubblewrap", problem },
    });
  });
});
