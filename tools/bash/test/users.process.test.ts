import { execFileSync } from "node:child_process";
import { chownSync, existsSync, rmSync } from "node:fs";
import { getuid } from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { sandboxIsTested, scratch, type Output } from "./world.ts";

const isRoot = getuid?.() === 0;

/** Only root can try both; for another user the first half is reported as skipped. */
const users = ["root", "a user"] as const;

/** A user without any rights, and one whom the system does not know, as containers have. */
const [unprivileged, unknown] = [65_534, 61_234];

const isolations = ["auto", "bubblewrap"] as const;
const program = fileURLToPath(new URL("run-commands.ts", import.meta.url));

/** Runs a command in an isolation, started by a host of this user. */
function run(user: (typeof users)[number] | "nameless", isolation: string, command: string): Output {
  const folder = scratch();
  const id = user === "nameless" ? unknown : unprivileged;
  const other = isRoot && user !== "root" ? { uid: id, gid: id } : {};
  if ("uid" in other) chownSync(folder, id, id);
  const words = ["--conditions=@toolmount/source", program, folder, isolation, command];
  const env = { PATH: process.env["PATH"], HOME: folder };
  const printed = execFileSync(process.execPath, words, { ...other, env, encoding: "utf8" });
  const [end] = JSON.parse(printed) as readonly { readonly data?: Output }[];
  if (end?.data === undefined) throw new Error(`the command did not run: ${printed}`);
  return end.data;
}

for (const user of users)
  describe.runIf(sandboxIsTested && (isRoot || user !== "root"))(`a command that ${user} runs`, () => {
    describe.each(isolations)("with isolation: %s", (isolation) => {
      test("cannot make the machine's files writable", () => {
        const escaped = `/usr/toolmount-escaped-${process.pid}`;
        onTestFinished(() => rmSync(escaped, { force: true }));

        run(user, isolation, `mount -o remount,rw,bind /usr; mount -o remount,rw,bind /; touch ${escaped}`);

        expect(existsSync(escaped)).toBe(false);
      });

      test.each([
        ["open a setting of the kernel to write", "exec 3>>/proc/sys/kernel/core_pattern"],
        ["open what asks the kernel for anything", "exec 3>>/proc/sysrq-trigger"],
        ["mount a folder", "mount -t tmpfs none /tmp"],
        ["make a mount namespace", "unshare --mount true"],
        ["make a user namespace", "unshare --user true"],
        ["make a user namespace in which it is root", "unshare --user --map-root-user true"],
        ["make a device", "mknod /tmp/disk b 8 0"],
      ])("cannot %s", (_title, command) => {
        expect(run(user, isolation, `${command} && echo escaped`)).toMatchObject({ stdout: "" });
      });

      test("has no capability, and gets none by starting a program", () => {
        const { stdout } = run(
          user,
          isolation,
          "grep -E '^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status",
        );

        const none = "0".repeat(16);
        expect(
          Object.fromEntries(
            stdout
              .trim()
              .split("\n")
              .map((line) => line.split(":\t")),
          ),
        ).toEqual({
          CapPrm: none,
          CapEff: none,
          CapBnd: user === "root" ? none : expect.any(String),
          CapAmb: none,
          NoNewPrivs: "1",
        });
      });

      test("finds no file in /proc that changes the machine", () => {
        // What is covered by /dev/null cannot be changed.
        const find =
          "find /proc -maxdepth 8 -regex '/proc/[0-9]+\\|/proc/self\\|/proc/thread-self' -prune -o -type f -writable ! -samefile /dev/null -print 2>/dev/null";

        expect(run(user, isolation, find).stdout).toBe("");
      });
    });
  });

test.runIf(sandboxIsTested && isRoot)("a user whom the system does not know runs commands", () => {
  for (const isolation of isolations)
    expect(run("nameless", isolation, `id -u; echo "$USER"`)).toMatchObject({ stdout: `${unknown}\n\n` });
});
