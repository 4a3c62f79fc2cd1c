import { readFile } from "node:fs/promises";
import {
  data,
  defineTool,
  failure,
  type Coordinator,
  type Json,
  type Tool,
  type ToolSpecification,
} from "@toolmount/core";
import { z } from "zod";
import { madeAgain, type MadeWorld } from "../made-again.ts";

/** What every world of this folder takes. */
export const config = z.strictObject({
  /** Path of a JSON file with the initial state. It is read once, and never written. */
  environment: z.string().min(1),
  /** The time of every call, `YYYY-MM-DDTHH:MM:SS`; empty: the machine's. */
  now: z.string().default(""),
});

/** The settings of a world. */
export type Settings = z.output<typeof config>;

/** Mounts the tools of a world, whose calls can be rehearsed and undone, and shows its state as `world.state`. */
export async function mountWorld(coordinator: Coordinator, make: () => Promise<MadeWorld>): Promise<void> {
  const { tools, state } = await madeAgain(make);
  for (const tool of tools) coordinator.mount("tools", tool);
  coordinator.registerCapability("world.state", state);
}

/** Reads the initial state. */
export async function readEnvironment<State>({ environment }: Settings): Promise<State> {
  return JSON.parse(await readFile(environment, "utf8")) as State;
}

export function timeOf({ now }: Settings): string {
  return now === "" ? new Date().toISOString().slice(0, 19) : now;
}

/** An error of a world that a model may read. */
export class Refusal extends Error {}

/** Ends a call with these words. */
export function refuse(words: string): never {
  throw new Refusal(words);
}

/** Any text, or null, which means the same as no argument. */
export const textOrNull = z.string().nullable().default(null);

type Shape = z.ZodRawShape;

interface Words<Fields extends Shape> {
  readonly name: string;
  readonly description: string;
  readonly fields: Fields;
  readonly control?: readonly (keyof Fields & string)[];
  readonly content?: readonly (keyof Fields & string)[];
  readonly execute: (given: z.output<z.ZodObject<Fields>>) => unknown;
}

/** A tool that changes nothing. */
export function reader<const Fields extends Shape>(words: Words<Fields>): Tool {
  return toolOf(words, { category: "read", consequenceLevel: "low" });
}

/** A tool with an effect. */
export function writer<const Fields extends Shape>(
  words: Words<Fields>,
  category: "write" | "delete" | "side_effect" = "write",
): Tool {
  return toolOf(words, { category, consequenceLevel: "medium" });
}

function toolOf<Fields extends Shape>(
  { fields, execute, ...words }: Words<Fields>,
  kind: Pick<ToolSpecification<never, unknown>, "category" | "consequenceLevel">,
): Tool {
  return defineTool({
    ...words,
    ...kind,
    requiresConfirmation: false,
    schema: z.strictObject(fields),
    execute: (given) => answer(() => execute(given)),
  });
}

/** An answer is a copy: a later call changes the state, not what was answered. */
function answer(execute: () => unknown) {
  try {
    return data(structuredClone(execute() ?? null) as Json);
  } catch (error) {
    if (error instanceof Refusal) return failure(error.message);
    throw error;
  }
}

/** A number as the original's language prints a double. */
export function printDouble(value: number): string {
  if (value !== 0 && (Math.abs(value) >= 1e16 || Math.abs(value) < 1e-4))
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  const plain = String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}
