import { existsSync, mkdirSync, readlinkSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Target } from "../src/proof/attempts.ts";
import { namesOf } from "../src/system/escape-table.ts";
import { bubblewrapArguments, proveSandbox, sandboxMounts, wallMounts } from "../src/index.ts";
import { allStopped, bubblewrap, reporting } from "./fake-bubblewrap.ts";

describe.runIf(process.platform === "linux")("the proof of a sandbox", () => {
  test("passes where every attempt was stopped", async () => {
    const { env } = bubblewrap(reporting(allStopped("closed")));
    expect(await proveSandbox({ kind: "closed", env })).toEqual({
      problem: null,
      stopped: namesOf("closed"),
    });
  });

  test("names what leaked in one sentence, and each that is not known with its reason", async () => {
    const { "read a secret file": _, ...report } = allStopped("wall");
    const ends = {
      ...report,
      "write a protected file": "leaked",
      "write into the home folder": "leaked",
      "be traced": "a program cannot be written: EROFS",
      "an attempt of another table": "leaked",
    };
    const { env } = bubblewrap(reporting(ends));
    const { problem, stopped } = await proveSandbox({ kind: "wall", env });
    expect(problem).toBe(
      "a program inside it can write a protected file, write into the home folder; " +
        "whether a program inside it can read a secret file is not known: no report; " +
        "whether a program inside it can be traced is not known: a program cannot be written: EROFS",
    );
    expect(stopped).toEqual(
      namesOf("wall").filter(
        (name) => name !== "read a secret file" && (ends as Record<string, unknown>)[name] === null,
      ),
    );
  });

  test("is not made where one attempt is not known, although none leaked", async () => {
    const { env } = bubblewrap(reporting({ ...allStopped("online"), "use io_uring": "no shared memory" }));
    expect((await proveSandbox({ kind: "online", env })).problem).toBe(
      "whether a program inside it can use io_uring is not known: no shared memory",
    );
  });

  test.each([
    ["echo ' bwrap: no permission ' >&2", "bwrap: no permission"],
    ["echo '{' ; echo broken >&2", "broken"],
    [`printf '%0600d' 7 >&2`, "0".repeat(500)],
    ["exit 3", "the process inside reported nothing"],
  ])("after %s says why the attempts could not be made", async (script, reason) => {
    const { env } = bubblewrap(script);
    expect(await proveSandbox({ kind: "closed", env })).toEqual({
      problem: `the attempts to break out of it could not be made: ${reason}`,
      stopped: [],
    });
  });

  test("says so where bubblewrap is a file that cannot be started", async () => {
    const { env, folder } = bubblewrap("");
    rmSync(join(folder, "bwrap"));
    mkdirSync(join(folder, "bwrap"));
    expect((await proveSandbox({ kind: "closed", env })).problem).toBe(
      `the attempts to break out of it could not be made: spawn ${folder}/bwrap EACCES`,
    );
  });

  test("is made again after one that failed, and once after one that passed", async () => {
    const { env, runs, forget, folder } = bubblewrap("exit 3");
    expect((await proveSandbox({ kind: "closed", env })).stopped).toEqual([]);
    const passing = `#!/bin/sh\necho >> ${folder}/words\n${reporting(allStopped("closed"))}\n`;
    writeFileSync(join(folder, "bwrap"), passing, { mode: 0o755 });
    expect((await proveSandbox({ kind: "closed", env })).problem).toBeNull();
    forget();
    expect((await proveSandbox({ kind: "closed", env })).problem).toBeNull();
    expect(runs()).toBe(false);
    expect((await proveSandbox({ kind: "closed", env, isFresh: true })).problem).toBeNull();
    expect(runs()).toBe(true);
    const both = await Promise.all([1, 2].map(() => proveSandbox({ kind: "closed", env })));
    expect(both[0]).toBe(both[1]);
  });

  test.each(["closed", "online", "wall", "offline"] as const)(
    "of the kind %s runs the attempts in a sandbox as for every program, and leaves no file",
    async (kind) => {
      const { env, words, variables } = bubblewrap(reporting(allStopped(kind)));
      expect((await proveSandbox({ kind, env })).problem).toBeNull();
      const all = words();
      const box = all[all.indexOf("--chdir") + 1]!;
      const place = box.slice(0, -"/box".length);
      const paths = {
        cwd: box,
        write: [box],
        denied: [`${place}/box/denied`],
        secret: [`${place}/box/secret`],
        read: [realpathSync(process.execPath)],
      };
      // While it ran, the files were there: the mounts name only those that are.
      mkdirSync(box, { recursive: true });
      onTestFinished(() => rmSync(place, { recursive: true, force: true }));
      for (const path of [...paths.denied, ...paths.secret]) writeFileSync(path, "");
      const mounts =
        kind === "wall" || kind === "offline"
          ? wallMounts({ ...paths, temporary: `${place}/tmp`, network: kind === "wall" })
          : sandboxMounts({ ...paths, network: kind === "online" });
      const end = all.length - 5;
      expect(all.slice(0, end - 1)).toEqual([...bubblewrapArguments({ cwd: box, env: {} }, mounts)]);
      expect(all.slice(end - 1, end + 3)).toEqual([
        realpathSync(process.execPath),
        // The built package has no types in it.
        expect.stringMatching(/^--input-type=module(?:-typescript)?$/),
        "--no-warnings",
        "--eval",
      ]);
      expect(variables()).toEqual(
        expect.arrayContaining([`PATH=${env.PATH}`, "TOOLMOUNT_PROOF=of the host"]),
      );
      const target = JSON.parse(all.at(-1)!) as Target;
      expect({ ...target, programs: Object.keys(target.programs).length, descriptors: [] }).toEqual({
        names: namesOf(kind),
        secret: `${box}/secret`,
        denied: `${box}/denied`,
        outside: `${place}/outside`,
        home: { path: env.HOME, identity: identityOf(env.HOME) },
        namespaces: {
          pid: readlinkSync("/proc/self/ns/pid"),
          ipc: readlinkSync("/proc/self/ns/ipc"),
        },
        port: expect.any(Number),
        abstract: place.split("/").at(-1),
        variable: "TOOLMOUNT_PROOF",
        sized:
          kind === "wall" || kind === "offline"
            ? ["/dev", "/dev/shm", "/run"]
            : ["/", "/dev", "/tmp", "/dev/shm"],
        maxBytes: 1_073_741_824,
        programs: 18,
        descriptors: [],
      });
    },
  );

  test("removes its files", async () => {
    const { env, words } = bubblewrap(`ls -d /tmp >/dev/null; ${reporting(allStopped("closed"))}`);
    await proveSandbox({ kind: "closed", env });
    const box = words()[words().indexOf("--chdir") + 1]!;
    expect(box.startsWith(join(realpathSync(tmpdir()), "toolmount-proof-"))).toBe(true);
    expect(existsSync(box.slice(0, -"/box".length))).toBe(false);
  });
});

function identityOf(path: string): string {
  const { dev, ino } = statSync(path);
  return `${dev} ${ino}`;
}
