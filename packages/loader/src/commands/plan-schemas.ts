import type { ZodType } from "zod";
import { commandHookSchema } from "../plan/command-hook-schema.ts";
import * as schemas from "../plan/schema.ts";

/** The schemas by which the loader checks a plan: its own keys, an entry, a hook that runs a program, `policy.limits`, the modes. */
export const planSchemas: Readonly<Record<"plan" | "entry" | "commandHook" | "limits" | "modes", ZodType>> = {
  plan: schemas.planSchema,
  entry: schemas.entrySchema,
  commandHook: commandHookSchema,
  limits: schemas.limitsSchema,
  modes: schemas.modesSchema,
};
