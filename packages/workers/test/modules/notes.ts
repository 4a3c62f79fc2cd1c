// Tools with an undo and a preview, which run in a process of their own.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { changedSince, data, defineTool, type Coordinator, type StagedEffects } from "@toolmount/core";
import { z } from "zod";

const change = z.strictObject({
  file: z.string(),
  before: z.string().nullable(),
  after: z.string(),
  act: z.string(),
});
const base = { consequenceLevel: "low", requiresConfirmation: false } as const;

function read(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

const stagedFiles = (rehearsal: StagedEffects) => rehearsal.staged("notes", () => new Map<string, string>());

const writeNote = defineTool({
  ...base,
  name: "write_note",
  description: "Writes a note. Use it in tests. Not for anything else.",
  category: "write",
  control: ["file"],
  schema: z.strictObject({ file: z.string(), text: z.string(), act: z.string().default("") }),
  async execute({ file, text, act }, { undoable, irreversible }) {
    if (act === "no undo") await irreversible?.("it is a test");
    else await undoable?.({ file, before: read(file), after: text, act });
    writeFileSync(file, text);
    if (act === "keep late")
      setTimeout(() => void undoable?.({ file, before: null, after: "", act }).catch(() => {}), 50);
    return data({ pid: process.pid, isKept: undoable !== undefined });
  },
  undo(given) {
    const { file, before, after, act } = change.parse(given.data);
    if (read(file) === before) return data({ changed: false });
    if (read(file) !== after) return changedSince("the note has another text now");
    if (before === null) rmSync(file);
    else writeFileSync(file, before);
    if (act === "die in undo") process.exit(1);
    return data({ changed: true, pid: process.pid });
  },
  preview({ file, text, act }, { rehearsal }) {
    if (act === "die in preview") process.exit(1);
    if (act === "bad preview") return { effects: [{ change: "explode" }], result: data(null) } as never;
    stagedFiles(rehearsal!).set(file, text);
    return { effects: [{ target: file, change: "change" }], result: data({ pid: process.pid }) };
  },
});

const readNote = defineTool({
  ...base,
  name: "read_note",
  description: "Reads a note. Use it in tests. Not for anything else.",
  category: "read",
  schema: z.strictObject({ file: z.string() }),
  execute: ({ file }) => data({ text: read(file), pid: process.pid }),
  preview: ({ file }, { rehearsal }) => ({
    effects: [],
    result: data({ text: stagedFiles(rehearsal!).get(file) ?? read(file), pid: process.pid }),
  }),
});

const countNotes = defineTool({
  ...base,
  name: "count_notes",
  description: "Counts in the state of the session. Use it in tests. Not for anything else.",
  category: "read",
  schema: z.strictObject({}),
  execute(_, { session }) {
    const count = Number(session.get("count") ?? 0) + 1;
    session.set("count", count);
    return data(count);
  },
});

export function mount(coordinator: Coordinator): void {
  for (const tool of [writeNote, readNote, countNotes]) coordinator.mount("tools", tool);
}
