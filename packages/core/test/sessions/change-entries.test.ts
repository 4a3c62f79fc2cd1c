import { expect, test } from "vitest";
import { readChangeEntry } from "../../src/sessions/changes.ts";

const facts = { tool: "t", owner: "o", callId: "c", runId: "r", arguments: {} };

test.each<[object | number | null, object | null]>([
  [
    { kind: "change", ...facts, at: 1, data: 2 },
    { kind: "change", ...facts, at: 1, data: 2, parents: [], causes: [] },
  ],
  [
    { kind: "irreversible", ...facts, at: 1, reason: "sent", parents: ["p"], causes: [1] },
    { kind: "irreversible", ...facts, at: 1, reason: "sent", parents: ["p"], causes: [1] },
  ],
  [
    { kind: "undone", of: 1, at: 5 },
    { kind: "undone", of: 1 },
  ],
  [
    { kind: "stopped", of: 1 },
    { kind: "stopped", of: 1 },
  ],
  [
    { kind: "begun", of: 1, by: "h", at: 5 },
    { kind: "begun", of: 1, by: "h" },
  ],
  [
    { kind: "claim", of: 1, by: "h", until: 9, at: 5 },
    { kind: "claim", of: 1, by: "h", until: 9 },
  ],
  [
    { kind: "claim", of: 1, by: "h", until: 9, process: "p" },
    { kind: "claim", of: 1, by: "h", until: 9, process: "p" },
  ],
  [
    { kind: "claim", of: 1, by: "h", until: 9, process: 7 },
    { kind: "claim", of: 1, by: "h", until: 9 },
  ],
  [7, null],
  [null, null],
  [{ kind: "undone", of: "1" }, null],
  [{ kind: "stopped" }, null],
  [{ kind: "begun", of: "1", by: "h" }, null],
  [{ kind: "begun", of: 1 }, null],
  [{ kind: "claim", of: "1", by: "h", until: 9 }, null],
  [{ kind: "claim", of: 1, by: 7, until: 9 }, null],
  [{ kind: "claim", of: 1, by: "h", until: "9" }, null],
  [{ kind: "new", ...facts }, null],
  ...(["tool", "owner", "callId", "runId"] as const).map(
    (key) => [{ kind: "change", ...facts, [key]: 7 }, null] as [object, null],
  ),
  [{ kind: "change", ...facts, arguments: [] }, null],
])("the entry %j is read as %j", (entry, read) => {
  expect(readChangeEntry(entry as never)).toEqual(read);
});
