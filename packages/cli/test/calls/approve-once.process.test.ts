import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workspace } from "../support/workspace.ts";

const tools = join(import.meta.dirname, "../../../../tools");
const plan = `version: 1
tools:
  - { module: filesystem, source: "file:${tools}/filesystem" }
  - { module: program, source: "file:${tools}/program" }
state: sqlite:./state/state.db
`;
const program = `await tools.write_file({ file_path: "a.txt", content: "A" });
await tools.delete_file({ path: "old", recursive: true });
return "done";
`;

async function office(more = "") {
  const { here, folder } = await workspace({
    "mount-plan.yaml": plan + more,
    "old/b.txt": "b",
    "tidy.ts": program,
  });
  const has = (name: string) => existsSync(join(folder, name));
  const rehearse = async (...words: string[]) => {
    const { json, code, stderr } = await here([...words, "--rehearse", "--ask", "--session", "s", "--json"]);
    return { outcome: json() as { ticket: string; status: string }, code, stderr };
  };
  const question = async () => {
    const { json } = await here(["approvals", "list", "--json"]);
    return (json() as { waiting: { id: string }[] }).waiting[0]!.id;
  };
  return { here, has, rehearse, question };
}

test("a program is rehearsed, approved as a list in the store, and then runs exactly as it was approved", async () => {
  const { here, has, rehearse, question } = await office();
  const { outcome, code, stderr } = await rehearse("program", "tidy.ts");
  expect([code, outcome.status], stderr).toEqual([3, "pending"]);
  expect([has("a.txt"), has("old")]).toEqual([false, true]);

  const { stdout } = await here(["approvals", "list"]);
  expect(stdout).toContain('1 write_file {"file_path":"a.txt","content":"A"}');
  expect(stdout).toContain("delete old");
  await here(["approvals", "approve", await question(), "--by", "ada"]);
  const resumed = await here(["resume", outcome.ticket, "--session", "s", "--json"]);
  expect(resumed.json()).toMatchObject({
    status: "ok",
    result: { data: { made: [{ tool: "run_program", data: { result: "done" } }] } },
  });
  expect([has("a.txt"), has("old")]).toEqual([true, false]);
  expect((await here(["approvals", "list", "--json"])).json()).toMatchObject({ waiting: [] });
});

test("of a list that was cut, the next call asks before it runs", async () => {
  const { here, has, rehearse, question } = await office();
  const { outcome } = await rehearse("program", "tidy.ts");
  await here(["approvals", "approve", await question(), "--first", "1"]);
  const resumed = await here(["resume", outcome.ticket, "--session", "s"]);
  expect(resumed.code).toBe(3);
  expect([has("a.txt"), has("old")]).toEqual([true, true]);
  expect((await here(["approvals", "list"])).stdout).toContain("the approved list has no further call");
});

test("a list of one call is denied, and nothing runs; --first is only for lists", async () => {
  const { here, has, rehearse, question } = await office();
  const { outcome } = await rehearse("call", "delete_file", '{"path":"old","recursive":true}');
  await here(["approvals", "deny", await question(), "--reason", "not today"]);
  const resumed = await here(["resume", outcome.ticket, "--session", "s"]);
  expect([resumed.code, has("old")]).toEqual([1, true]);
  expect(resumed.stdout).toContain("not today");

  await here(["call", "delete_file", '{"path":"old","recursive":true}']);
  const cut = await here(["approvals", "approve", await question(), "--first", "1"]);
  expect([cut.code, cut.stderr]).toEqual([2, expect.stringContaining("list of calls") as string]);
});

test.each([
  ['policy: { allow: ["*"], ask: [write_file, delete_file] }', "program"],
  ['policy: { allow: ["*"] }', "call"],
  ["policy: { allow: [make_approved_calls, delete_file, run_program], level: autonomous }", "call"],
])("%s runs no rehearsed list of a %s without a person", async (policy, way) => {
  const { has, rehearse } = await office(`${policy}\n`);
  const words = way === "program" ? ["tidy.ts"] : ["delete_file", '{"path":"old","recursive":true}'];
  const { outcome, code } = await rehearse(way, ...words);

  expect([code, outcome.status]).toEqual([3, "pending"]);
  expect([has("a.txt"), has("old")]).toEqual([false, true]);
});
