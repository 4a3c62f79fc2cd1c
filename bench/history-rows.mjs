// What a page of the history costs, beside the SQL that it needs at least. TOOLMOUNT_CALLS: how many calls there are.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@toolmount/store";

const count = Number(process.env.TOOLMOUNT_CALLS ?? 50_000);
const pageSize = 100;
const minute = 60_000;

/** Numbers that are the same in each run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 12)) >>> 0) % below;
  };
}

/** The records of one call: its start and its end. */
function recordsOf(at, draw) {
  const words = Array.from({ length: 30 }, () => `w${draw(20_000)}`).join(" ");
  const startedAt = at * minute;
  const call = {
    runId: `run-${at}`,
    tool: `tool_${draw(40)}`,
    sessionId: `s-${at >> 6}`,
    userId: `u-${draw(200)}`,
  };
  const failed = draw(50) === 0;
  const given = { path: `src/file-${draw(5_000)}.ts`, query: words };
  const end = failed
    ? { status: "failed", code: "TOOL_FAILED", error: "it failed" }
    : { status: "ok", result: { text: `found ${words}` } };
  return [
    { ...call, kind: "start", at: startedAt, arguments: given },
    { ...call, kind: "end", at: startedAt + draw(900), durationMs: draw(900), ...end },
  ];
}

async function fill() {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-history-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "state.db");
  const { audit } = await openStore(`sqlite:${file}`, { audit: "durable" });
  const draw = numbers(7);
  let sequence = 0;
  for (let at = 0; at < count; at += 500) {
    const entries = Array.from({ length: 500 }, (_, more) => recordsOf(at + more, draw)).flat();
    await audit.append(
      entries.map((entry) => ({
        writer: "w",
        sequence: ++sequence,
        previous: "",
        hash: `${sequence}`,
        entry,
      })),
    );
  }
  return { audit, database: new DatabaseSync(file, { readOnly: true }) };
}

let filled;

const row = (filter, where, ...values) => ({
  async make() {
    filled ??= await fill();
    const { audit, database } = filled;
    const bare = database.prepare(`select c.* from calls c ${where} limit ${pageSize}`);
    return { floor: () => void bare.all(...values), row: () => audit.calls({ ...filter, limit: pageSize }) };
  },
});

export const historyRows = {
  "history.newest": {
    title: "the newest 100 calls, beside their SQL",
    ...row({}, "order by at desc"),
    goal: 5,
    gate: 12,
  },
  "history.filter": {
    title: "the newest 100 calls of a tool that failed, beside their SQL",
    ...row(
      { tool: "tool_3", status: "failed" },
      "where tool = ? and status = ? order by at desc",
      "tool_3",
      "failed",
    ),
    goal: 3,
    gate: 8,
  },
  "history.search": {
    title: "the newest 100 calls with a word, beside their SQL",
    ...row(
      { text: "found" },
      "join call_words f on f.rowid = c.sequence where f.call_words match ? order by f.rowid desc",
      '"found"',
    ),
    goal: 5,
    gate: 12,
  },
};
