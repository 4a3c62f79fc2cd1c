import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMemoryStore, type JsonObject } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { world } from "./world.ts";

/** A host whose notes are written and undone in processes behind a border, and a folder that they may write. */
async function office(run: JsonObject = {}, store = createMemoryStore()) {
  const folder = await mkdtemp("/tmp/notes-");
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const far = await world(
    { border: "none", processes: 4, ...run },
    { module: "notes", folder, store, limits: { timeoutMs: 600_000 }, approvals: { leaseMs: 300 } },
  );
  onTestFinished(() => far[Symbol.asyncDispose]());
  const file = join(folder, "a.txt");
  const session = far.host.session("s");
  const write = (text: string, act = "") =>
    session.call({ name: "write_note", arguments: { file, text, act } }, { turnId: "t" });
  return { ...far, session, file, write, text: () => readFile(file, "utf8") };
}

test.each(["none", "bubblewrap"])(
  "a change of a tool behind border %s is undone there, newest first, each once",
  async (border) => {
    const { session, file, write, text } = await office({ border, write: ["."] });
    const first = await write("one");
    expect(first.result.data).toMatchObject({ isKept: true });
    expect((first.result.data as { pid: number }).pid).not.toBe(process.pid);
    await write("two");
    expect(await session.changes()).toMatchObject([
      { tool: "write_note", arguments: { file }, isUndone: false },
      { isUndone: false },
    ]);

    const [one, two] = await Promise.all([session.undo(), session.undo()]);
    expect(one.stopped ?? two.stopped).toBe(null);
    expect(existsSync(file)).toBe(false);
    expect((await session.undo()).undone).toEqual([]);
    await write("three", "no undo");
    expect((await session.undo()).irreversible).toMatchObject([{ irreversible: "it is a test" }]);
    expect(await text()).toBe("three");
  },
);

test("a note that another program changed is left, and the undo says so", async () => {
  const { session, file, write, text } = await office();
  await write("one");
  await writeFile(file, "other");
  expect((await session.undo()).stopped?.outcome.result).toMatchObject({ code: "CHANGED_SINCE" });
  expect(await text()).toBe("other");
});

test("an undo whose process ends in the middle is unknown, and does not run again by itself", async () => {
  const { session, file, write } = await office();
  await write("one", "die in undo");
  const { stopped } = await session.undo();
  expect(stopped?.outcome).toMatchObject({ status: "unknown", result: { code: "OUTCOME_UNKNOWN" } });
  expect(existsSync(file)).toBe(false);
  await writeFile(file, "one");
  const later = await session.undo({ unclear: "done" });
  expect(later.stopped).toBe(null);
  expect(existsSync(file)).toBe(true);
});

test("a change that is given after the call has ended is not kept", async () => {
  const { session, write } = await office({ processes: 1 });
  await write("one", "keep late");
  await write("two");
  expect(await session.changes()).toHaveLength(2);
});

test("previews of a rehearsal behind a border see each other's effects, beside other rehearsals, and change nothing", async () => {
  const { session, file } = await office();
  const [one, two] = [session.rehearse(), session.rehearse()];
  const write = (text: string) => ({ name: "write_note", arguments: { file, text } });
  const reads = [one, two].map(async (rehearsal, at) => {
    const outcomes = await Promise.all([rehearsal.call(write("old")), rehearsal.call(write("older"))]);
    expect(outcomes.map(({ status }) => status)).toEqual(["ok", "ok"]);
    await rehearsal.call(write(`text ${at}`));
    return rehearsal.call({ name: "read_note", arguments: { file } });
  });
  const [first, second] = await Promise.all(reads);
  expect(first!.result.data).toMatchObject({ text: "text 0" });
  expect(second!.result.data).toMatchObject({ text: "text 1" });
  expect((first!.result.data as { pid: number }).pid).not.toBe(process.pid);
  expect(one.calls).toMatchObject([{ effects: [{ target: file, change: "change" }], canUndo: true }, {}, {}]);
  expect([one.stopped, existsSync(file)]).toEqual([null, false]);
});

test("a rehearsal whose process ended says that what it staged is lost, and a new one runs", async () => {
  const { session, file } = await office();
  const rehearsal = session.rehearse();
  const call = (act: string) => rehearsal.call({ name: "write_note", arguments: { file, text: "x", act } });
  expect((await call("")).status).toBe("ok");
  expect((await call("die in preview")).result.error).toMatch(/its process ended/);
  const { result } = await rehearsal.call({ name: "read_note", arguments: { file } });
  expect(result).toMatchObject({
    code: "UNAVAILABLE",
    error: expect.stringContaining("rehearse again") as string,
  });

  const again = session.rehearse();
  const { status } = await again.call({ name: "write_note", arguments: { file, text: "x" } });
  expect([status, existsSync(file)]).toEqual(["ok", false]);
});

test("a preview that is not one fails its call, and is not in the list", async () => {
  const { session, file } = await office();
  const rehearsal = session.rehearse();
  const given = { file, text: "x", act: "bad preview" };
  const { result } = await rehearsal.call({ name: "write_note", arguments: given });
  expect(result.error).toContain("its preview has no list of effects");
  expect(rehearsal.calls).toEqual([]);
});

test("a read that runs in a rehearsal behind a border leaves the session's state as it was", async () => {
  const { session } = await office();
  const rehearsal = session.rehearse();
  const count = { name: "count_notes", arguments: {} };
  expect((await rehearsal.call(count)).result.data).toBe(1);
  expect((await rehearsal.call(count)).result.data).toBe(2);
  expect((await session.call(count)).result.data).toBe(1);
});
