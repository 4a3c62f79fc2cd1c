import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { processesWith, sandboxIsTested, shell } from "./world.ts";

/** A script that starts itself twice: the policy, which refuses such functions, does not read scripts. */
const grow = `[ "$1" = 0 ] || { bash $0 $(($1 - 1)) $2 & bash $0 $(($1 - 1)) $2 & }; sleep $2`;

/** Commands that are 300 processes at one time, and would be for a minute; with a mark by which they are found. */
const floods: readonly (readonly [name: string, command: (mark: string) => string])[] = [
  ["children", (mark) => `for i in {1..300}; do sleep 60.${mark} & done; wait`],
  [
    "children of parents that ended",
    (mark) => `for i in {1..300}; do (sleep 60.${mark} &); done; sleep 60.${mark}`,
  ],
  ["sessions of their own", (mark) => `for i in {1..300}; do setsid sleep 60.${mark} & done; wait`],
  ["a bomb of a few generations", (mark) => `bash grow.sh 8 60.${mark}`],
];

const places = ["none", ...(sandboxIsTested ? (["bubblewrap"] as const) : [])] as const;

describe.each(places)("with isolation %s", (isolation) => {
  test.each(floods)(
    "a command of too many processes is killed with all of them: %s",
    async (name, command) => {
      const mark = `${process.pid}${isolation.length}${name.length}`;
      const { bash, folder } = shell({ isolation, max_processes: 64 });
      writeFileSync(join(folder, "grow.sh"), grow);
      const { error, code } = await bash.execute({ command: command(mark), timeout: 50 });

      expect([error, code]).toEqual([
        "Command was killed: it was more than 64 processes at one time",
        "PROCESS_LIMIT",
      ]);
      expect(processesWith(`60.${mark}`)).toEqual([]);
    },
  );
});

test("a command with as many processes as it may have ends by itself", async () => {
  const { bash } = shell({ max_processes: 64 });

  expect(
    (await bash.execute({ command: "for i in {1..40}; do sleep 1 & done; wait; echo ok" })).data,
  ).toMatchObject({
    stdout: "ok\n",
  });
});

test("a command in the background that is too many processes is killed, and its list says why", async () => {
  const { bash, bashOutput } = shell({ max_processes: 64 });
  const { data } = await bash.execute({
    command: "for i in {1..300}; do sleep 60 & done; wait",
    run_in_background: true,
  });
  const { id } = data as { id: string };

  expect((await bashOutput.execute({ id, wait: 60 })).data).toMatchObject({ status: "too_many_processes" });
});
