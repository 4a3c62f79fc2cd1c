import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commandFile, nodeFlags } from "../support/program.ts";

/** Root reads everything, so another user plays this. */
const isRoot = process.getuid?.() === 0;

const hasLayer =
  process.env["CI"] !== undefined ||
  (spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0 &&
    spawnSync("bwrap", ["--version"]).error === undefined);

const bash = join(import.meta.dirname, "../../tools/bash");

test.runIf(isRoot && hasLayer)(
  "what a command made unreadable does not keep the rest from being kept",
  () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-shut-")));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(
      join(folder, "mount-plan.yaml"),
      `version: 1\nlayer: ./\ntools:\n  - { module: bash, source: "file:${bash}" }\n`,
    );
    spawnSync("bash", ["-c", "mkdir old; echo o > old/o; echo x > x; chown -R 65534:65534 ."], {
      cwd: folder,
    });
    const as = "--reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent".split(" ");
    const here = (...words: string[]) => {
      const all = [...as, process.execPath, ...nodeFlags, commandFile, ...words];
      const { stdout, stderr } = spawnSync("setpriv", all, { cwd: folder, encoding: "utf8" });
      return `${stdout}${stderr}`;
    };
    const call = (command: string) => here("call", "bash", JSON.stringify({ command }));
    const work = "mkdir d; echo a > d/a; chmod 0 d old; echo f > f; chmod 0 f x; echo done";
    expect(call(work)).toContain("done");
    // The view is mounted again.
    spawnSync("setpriv", [...as, "touch", "theirs"], { cwd: folder });
    expect(call("ls")).toContain("theirs");
    const shown = here("keep");
    expect(shown).toContain("create f");
    expect(shown).toContain("stays d: its folder cannot be read");
    const { digest } = JSON.parse(here("keep", "--json")) as { digest: string };
    expect(here("keep", "mount-plan.yaml", "--accept", digest)).toContain("2 changes kept");
    expect(readFileSync(join(folder, "f"), "utf8")).toBe("f\n");
    expect(call("chmod 755 d old; cat d/a old/o")).toMatch(/stdout:\s+a\s+o/);
  },
);
