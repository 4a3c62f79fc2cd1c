import { readFileSync, readlinkSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLimitMark, createProgramGuard, thisSystem } from "../src/index.ts";
import { readOr } from "../src/system/process-usage.ts";

/** The guards' processes that this process started. */
function guards(): readonly number[] {
  return thisSystem
    .parents()
    .filter(([pid, parent]) => parent === process.pid && wordsOf(pid).includes("toolmount-guard"))
    .map(([pid]) => pid);
}

const wordsOf = (pid: number) => readOr(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);

/** A guard, and its process once it is a shell. */
async function started(options: Parameters<typeof createProgramGuard>[0] = {}) {
  const before = guards();
  const guard = createProgramGuard(options);
  onTestFinished(() => guard.close());
  guard.start();
  const own = () => guards().filter((pid) => !before.includes(pid));
  await expect.poll(own).toHaveLength(1);
  return { guard, pid: own()[0]!, own };
}

describe.runIf(process.platform === "linux")("the process of a guard", () => {
  test("is a shell in the root folder, in a group of its own, without an environment", async () => {
    const { pid } = await started();
    const [file, option, program, ...words] = wordsOf(pid);
    expect([file, option, words]).toEqual(["/bin/sh", "-c", ["toolmount-guard", "", "", "environ"]]);
    expect(program).toContain("kill -s KILL");
    expect(program).not.toContain("\\${");
    expect(readFileSync(`/proc/${pid}/environ`, "latin1")).not.toMatch(/PATH=|HOME=/);
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
    const [, group, session] = readFileSync(`/proc/${pid}/stat`, "latin1")
      .split(") ")
      .at(-1)!
      .split(" ")
      .slice(1, 4)
      .map(Number);
    expect([group, session]).toEqual([pid, pid]);
  });

  test("gets the mark, the path and whether it asks first", async () => {
    const { pid } = await started({ mark: "A=b", path: "/usr/bin:/bin", isPolite: true });
    expect(wordsOf(pid).slice(3)).toEqual(["toolmount-guard", "A=b", "polite", "environ"]);
    expect(readFileSync(`/proc/${pid}/environ`, "latin1")).toContain("PATH=/usr/bin:/bin\0");
    const mark = createLimitMark();
    const limited = await started({ mark });
    expect(wordsOf(limited.pid).slice(3)).toEqual(["toolmount-guard", mark.text, "", "limits"]);
  });

  test("is started once, and again after it was killed", async () => {
    const { guard, pid, own } = await started();
    guard.start();
    guard.add(2 ** 30);
    expect(own()).toEqual([pid]);
    process.kill(pid, "SIGKILL");
    await expect.poll(own).toEqual([]);
    // This process has to have heard of it.
    await expect
      .poll(() => {
        guard.start();
        return own().length;
      })
      .toBe(1);
    guard.close();
    await expect.poll(own).toEqual([]);
    guard.remove(1);
    guard.close();
  });
});

test("a mark is a limit that no other program has, and only Linux knows", () => {
  const [one, other] = [createLimitMark("linux"), createLimitMark("linux")];
  const { file, args } = one.launch("node", ["a b", "c"]);
  const kilobytes = Number(args[2]);
  expect([file, args]).toEqual([
    "/bin/sh",
    ["-c", 'ulimit -m "$0"; exec "$@"', String(kilobytes), "node", "a b", "c"],
  ]);
  expect([kilobytes >= 2 ** 40, kilobytes < 2 ** 41]).toEqual([true, true]);
  const bytes = String(kilobytes * 1_024).padEnd(20, " ");
  expect(one.text).toBe(`Max resident set          ${bytes} ${bytes}`);
  expect(one.text).not.toBe(other.text);
  expect(createLimitMark("darwin").launch("node", ["a"])).toEqual({ file: "node", args: ["a"] });
});
