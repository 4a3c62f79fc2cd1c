import type { ZodType } from "zod";
import { commandHookSchema } from "../plan/command-hook-schema.ts";
import * as schemas from "../plan/schema.ts";

/**
 * The schemas with which the loader checks a plan: its own keys, an entry, a hook that runs a program, its part of `policy`, and
 * the modes.
 */
export const planSchemas: Readonly<Record<"plan" | "entry" | "commandHook" | "policy" | "modes", ZodType>> = {
  plan: schemas.planSchema,
  entry: schemas.entrySchema,
  commandHook: commandHookSchema,
  policy: schemas.policyPart,
  modes: schemas.modesSchema,
};
