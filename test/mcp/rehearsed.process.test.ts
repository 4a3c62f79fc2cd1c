import { expect, test } from "vitest";
import { open, planOf, serverOf } from "./support/world.ts";

const echo = { name: "echo", arguments: { text: "hi" } };

test("in a rehearsal a tool that its server calls read-only runs, and what any other tool would do is not guessed", async () => {
  const host = await open(planOf(serverOf()));
  const session = host.session("s");
  const rehearsal = session.rehearse();

  expect((await rehearsal.call(echo)).result.data).toBe("echo: hi");
  // It would end the server.
  const { status, result } = await rehearsal.call({ name: "die" });
  expect([status, result.data, result.warnings]).toEqual([
    "ok",
    null,
    ["it did not run: this is a rehearsal, and its result is not known"],
  ]);
  expect((await rehearsal.call({ name: "delete_all" })).status).toBe("ok");
  expect(rehearsal.calls).toMatchObject([
    { tool: "die", isModelled: false, effects: [], canUndo: null, asks: [] },
    { tool: "delete_all", isModelled: false, effects: [], asks: ['"delete_all" asks for confirmation'] },
  ]);
  const read = await rehearsal.call(echo);
  expect(read.result).toMatchObject({ code: "REHEARSAL_ENDED" });
  expect(rehearsal.stopped).toBe('"echo" may read what "die" would change, and it is not known what that is');
  expect((await session.call(echo)).status).toBe("ok");
});

test("a tool whose hints the plan ignores does not run in a rehearsal, though its server calls it read-only", async () => {
  const host = await open(planOf({ ...serverOf(), hints: "ignore" }));
  const rehearsal = host.session("s").rehearse();
  expect((await rehearsal.call(echo)).result.data).toBe(null);
  expect(rehearsal.calls).toMatchObject([{ tool: "echo", isModelled: false }]);
});

test("calls of a server's tools are no changes that could be undone, and an undo leaves them", async () => {
  const host = await open(planOf(serverOf()), { approver: () => ({ decision: "approve", by: "ada" }) });
  const session = host.session("s");
  expect((await session.call({ name: "delete_all" })).status).toBe("ok");
  expect(await session.changes()).toEqual([]);
  expect(await session.undo()).toMatchObject({ undone: [], stopped: null, irreversible: [] });
});
