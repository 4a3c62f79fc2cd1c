import { randomUUID } from "node:crypto";
import {
  changedSince,
  data,
  type Json,
  type Preview,
  type PreviewedEffect,
  type Tool,
  type ToolContext,
  type ToolDefinition,
} from "@toolmount/core";
import { z } from "zod";
import { attempt } from "./journal.ts";

/** A world: its tools, and its state as it is now. */
export interface MadeWorld {
  readonly tools: readonly Tool[];
  state(): unknown;
}

interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

const kept = z.strictObject({ id: z.string(), at: z.number() });

/**
 * The same world, whose calls can be rehearsed and undone. A world repeats itself exactly: what is staged is a fresh world in
 * which all calls are made again, and to undo the last call is to make the others again.
 */
export async function madeAgain(make: () => Promise<MadeWorld>): Promise<MadeWorld> {
  let world = await make();
  const made: MadeCall[] = [];
  const again = async () => {
    const fresh = await make();
    for (const { name, arguments: given } of made) await attempt(toolOf(fresh, name), given);
    return fresh;
  };
  const run = async (tool: Tool, given: unknown, context: ToolContext) => {
    if (context.undoable === undefined) return toolOf(world, tool.name).execute(given, context);
    const before = partsOf(world.state());
    try {
      return await toolOf(world, tool.name).execute(given, context);
    } finally {
      // Failed calls, too: some change a part before they fail.
      if (effectsOf(before, partsOf(world.state())).length > 0) {
        const id = randomUUID();
        made.push({ id, name: tool.name, arguments: given });
        await context.undoable({ id, at: made.length });
      }
    }
  };
  const preview = async (tool: Tool, given: unknown, context: ToolContext): Promise<Preview> => {
    const staged = await context.rehearsal!.staged("world", again);
    const before = partsOf(staged.state());
    const result = await toolOf(staged, tool.name).execute(given, context);
    return { effects: effectsOf(before, partsOf(staged.state())), result };
  };
  const undo = async (change: Json) => {
    const { id, at } = kept.parse(change);
    if (made[at - 1]?.id !== id) return data({ changed: false });
    if (made.length > at) return changedSince("later calls have changed this world");
    made.pop();
    world = await again();
    return data({ changed: true });
  };
  const tools = world.tools.map((tool): ToolDefinition => ({
    ...(tool as unknown as ToolDefinition),
    execute: (given, context) => run(tool, given, context),
    preview: (given, context) => preview(tool, given, context),
    undo: ({ data: change }) => undo(change),
    idempotentUndo: true,
  }));
  return { tools: tools as unknown as readonly Tool[], state: () => world.state() };
}

function toolOf({ tools }: MadeWorld, name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`this world has no tool ${name}`);
  return tool;
}

/** The records of a state, by their path. A frozen one never changes. */
export function partsOf(state: unknown): ReadonlyMap<string, unknown> {
  const parts = new Map<string, unknown>();
  for (const [table, records] of Object.entries(state as object)) {
    if (typeof records !== "object" || records === null) parts.set(table, textOf(records));
    else
      for (const [key, record] of Object.entries(records as object))
        parts.set(`${table}.${key}`, Object.isFrozen(record) ? record : textOf(record));
  }
  return parts;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}

/** The records that differ. */
export function effectsOf(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): readonly PreviewedEffect[] {
  const targets = [...new Set([...before.keys(), ...after.keys()])];
  return targets.flatMap((target): PreviewedEffect[] => {
    const [was, is] = [before.get(target), after.get(target)];
    if (was === is || plain(was) === plain(is)) return [];
    const change = was === undefined ? "create" : is === undefined ? "delete" : "change";
    return [{ target, change, difference: `-${plain(was)}\n+${plain(is)}` }];
  });
}

function plain(part: unknown): string {
  return typeof part === "string" ? part : (JSON.stringify(part) ?? "");
}
