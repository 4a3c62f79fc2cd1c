import type { JsonSchema } from "@toolmount/core";
import { planSchemas } from "@toolmount/loader/commands";
import { z } from "zod";

/** The parts of the plan format that the loader reads, as JSON Schema (draft 7). */
export interface PlanSchemaParts {
  /** The loader's keys of a plan, without the sections of modules. */
  readonly plan: JsonSchema;
  /** One entry of `tools`, `hooks` or `providers`. */
  readonly entry: JsonSchema;
  /** An entry of `hooks` that runs a program. */
  readonly commandHook: JsonSchema;
  /** The members of `policy` that the loader reads. */
  readonly policy: JsonSchema;
  readonly modes: JsonSchema;
}

/** Returns the schemas that the loader checks plans with, as JSON Schema (draft 7). */
export function printPlanSchemas(): PlanSchemaParts {
  const { plan, entry, commandHook, policy, modes } = planSchemas;
  return {
    plan: print(plan),
    entry: print(entry),
    commandHook: print(commandHook),
    policy: print(policy),
    modes: print(modes),
  };
}

function print(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...printed } = z.toJSONSchema(schema, { target: "draft-7", io: "input" });
  return printed;
}
