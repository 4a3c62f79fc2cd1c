import type { Json, JsonObject } from "@toolmount/core";
import { isList, isRecord } from "../diagnostics/json.ts";
import type { BundleReading } from "./bundle.ts";
import { findText } from "./find-bundle.ts";

/**
 * Returns the model candidates of each agent that asks for roles, from the matrix that the hook `hooks-routing` names. Without
 * this hook, roles are ignored, as in Amplifier.
 */
export async function compileRoles(reading: BundleReading): Promise<JsonObject> {
  const { bundles } = reading;
  const config = bundles.hooks.get("hooks-routing");
  if (config === undefined || bundles.roles.size === 0) return {};
  const matrix = await readMatrix(config, reading);
  if (matrix === null) return {};
  const roles = withOverrides(matrix, config["overrides"]);
  const agents = [...bundles.roles].flatMap(([name, wanted]): [string, JsonObject][] => {
    const candidates = wanted.flatMap((role) => candidatesOf(roles[role]));
    return candidates.length === 0 ? [] : [[name, { provider_preferences: candidates }]];
  });
  return Object.fromEntries(agents);
}

async function readMatrix(config: JsonObject, reading: BundleReading): Promise<JsonObject | null> {
  const { default_matrix: written } = config;
  const name = typeof written === "string" ? written : "balanced";
  for (const home of reading.bundles.homes.values()) {
    const found = findText(`${name}.yaml`, { home, bundles: reading.bundles, folder: "routing" });
    if ("problem" in found) continue;
    const head = await reading.readHead(found.file);
    const roles = head?.value["roles"];
    return isRecord(roles) ? roles : null;
  }
  reading.complain(
    ["hooks"],
    `no bundle has the matrix ${name} of hooks-routing; it is routing/${name}.yaml of one`,
  );
  return null;
}

/** Returns the matrix with `overrides` applied. The candidate `base` in an override means the candidates of the matrix. */
function withOverrides(matrix: JsonObject, overrides: Json | undefined): JsonObject {
  if (!isRecord(overrides)) return matrix;
  const changed = Object.entries(overrides).map(([role, override]) => {
    const candidates = candidatesOf(override).flatMap((one) =>
      one === "base" ? candidatesOf(matrix[role]) : [one],
    );
    return [role, { candidates }] as const;
  });
  return { ...matrix, ...Object.fromEntries(changed) };
}

function candidatesOf(role: Json | undefined): readonly Json[] {
  const candidates = isRecord(role) ? role["candidates"] : undefined;
  return isList(candidates) ? candidates : [];
}
