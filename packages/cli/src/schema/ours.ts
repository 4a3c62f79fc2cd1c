import type { JsonObject, JsonSchema, StandardSchema } from "@toolmount/core";
import { printPlanSchemas } from "./plan-parts.ts";
import { config as policy } from "@toolmount/policy";
import { config as agent } from "@toolmount/reasoner";
import { composePlanSchema, type KnownModule } from "./compose.ts";

/** Returns the schema of plans, with the sections of our packages and the configs of `modules`. */
export async function composeOurs(modules: readonly KnownModule[]): Promise<JsonObject> {
  const own = print(policy);
  // Command hooks are left out here, because a plan has them in its section `hooks`.
  const { commandHooks: _, ...rest } = own["properties"] as Readonly<Record<string, JsonSchema>>;
  const printed = print(agent);
  // `session` is left out, because only plans in Amplifier's format have it.
  const { session: _session, ...settings } = printed["properties"] as Readonly<Record<string, JsonSchema>>;
  const sections = {
    policy: { ...own, properties: rest },
    agent: {
      description: "The loop over a model, and the agents that it delegates to.",
      ...printed,
      properties: settings,
    },
    ...storeSections,
  };
  return composePlanSchema({ parts: printPlanSchemas(), sections, modules });
}

const auditModes = ["batched", "durable", "mixed", "changes"];

/** Schemas of the sections `state` and `audit`. They are written here, because the store's own config has another form. */
const storeSections: Readonly<Record<string, JsonSchema>> = {
  state: {
    type: "string",
    description: "Where approvals and sessions are kept: memory, sqlite:<path> or postgres://…",
    pattern: "^(memory$|sqlite:.|postgres(ql)?://.|.*\\$\\{)",
  },
  audit: {
    description:
      "How calls are recorded: off, batched (at most 10 ms lost), durable, mixed or changes. results: false leaves results out.",
    anyOf: [
      { enum: ["off", ...auditModes] },
      {
        type: "object",
        properties: { mode: { enum: auditModes }, results: { type: "boolean", default: true } },
        required: ["mode"],
        additionalProperties: false,
      },
    ],
  },
};

function print(schema: StandardSchema): JsonSchema {
  const printed = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (printed === undefined) throw new Error("the schema's library prints no JSON Schema");
  return printed;
}
