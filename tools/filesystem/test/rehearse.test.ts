import { rmSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCall, path, world } from "./changing-world.ts";

const read = fc.oneof(
  fc.record({ name: fc.constant("read_file"), given: fc.record({ file_path: path }) }),
  fc.record({ name: fc.constant("list_directory"), given: fc.record({ path }) }),
);

test("any sequence of calls gives the same results in a rehearsal as in the real run, and changes nothing before", async () => {
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(anyCall, anyCall, read), { minLength: 1, maxLength: 12 }),
      async (calls) => {
        const { session, look, call, folder } = world();
        const before = look();
        const rehearsal = session.rehearse();
        const rehearsed = [];
        for (const { name, given } of calls) {
          const { result } = await rehearsal.call({ name, arguments: { ...given } });
          rehearsed.push([name, given, result.data, result.code]);
        }
        expect(look()).toEqual(before);
        expect([rehearsal.stopped, rehearsal.calls.every(({ isModelled }) => isModelled)]).toEqual([
          null,
          true,
        ]);
        const real = [];
        for (const { name, given } of calls) {
          const result = await call(name, given);
          real.push([name, given, result.data, result.code]);
        }
        expect(rehearsed).toEqual(real);
        changes += rehearsal.calls.length;
        rmSync(folder.base, { recursive: true });
      },
    ),
    { numRuns: process.env["TOOLMOUNT_LONG"] === "1" ? 2_000 : 120 },
  );
  expect(changes).toBeGreaterThan(100);
}, 300_000);

test("a rehearsal lists what each call would change, with the lines that differ", async () => {
  const { session } = world();
  const rehearsal = session.rehearse();
  const call = (name: string, given: Record<string, unknown>) => rehearsal.call({ name, arguments: given });
  await call("edit_file", { file_path: "a.txt", old_string: "two", new_string: "2\nthree" });
  await call("move_file", { source: "d", destination: "new/d" });
  await call("write_file", { file_path: "new/d/x.txt", content: "x" });
  await call("delete_file", { path: "b.bin" });

  expect(rehearsal.calls.map(({ tool, effects }) => [tool, effects])).toEqual([
    ["edit_file", [{ target: "a.txt", change: "change", difference: " one\n-two\n+2\n+three" }]],
    [
      "move_file",
      [
        { target: "d", change: "delete" },
        { target: "new/d", change: "create" },
      ],
    ],
    ["delete_file", [{ target: "b.bin", change: "delete" }]],
  ]);
});
