import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/**
 * A group of cgroup v2 in which these tests make others, such as `/sys/fs/cgroup/toolmount`. It takes root to make one, and few
 * machines let a test do that: `loads.yml` does.
 */
const delegated = process.env["TOOLMOUNT_CGROUP"];
const given = delegated === undefined ? "no group is given in TOOLMOUNT_CGROUP" : delegated;

test.skipIf(delegated === undefined)(
  `the kernel keeps a process in its memory, and none of what it started is left (${given})`,
  () => {
    const group = join(delegated!, `test-${process.pid}`);
    mkdirSync(group);
    onTestFinished(() => {
      const host = join(group, "toolmount-host");
      for (const folder of [host, group]) if (existsSync(folder)) rmdirSync(folder);
    });
    const words = [
      process.execPath,
      "-C",
      "@toolmount/source",
      join(import.meta.dirname, "in-group.ts"),
      group,
    ];
    const text = execFileSync(
      "/bin/sh",
      ["-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', group, ...words],
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      },
    );

    expect(JSON.parse(text)).toEqual({
      // No process maps what a file in memory holds, so a measure does not find it.
      filled: expect.stringContaining("it was killed, because it used more than 160 MB"),
      ends: ["ok", "ok"],
      wasLeft: true,
      isLeft: false,
      groups: ["toolmount-host"],
      oomKills: expect.toSatisfy((count: number) => count > 0),
    });
  },
);
