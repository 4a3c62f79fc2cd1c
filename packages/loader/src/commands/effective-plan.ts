import type { Json, JsonObject, PlanPosition } from "@toolmount/core";
import { redact } from "@toolmount/core/redact";
import { fillOptions } from "../host/defaults.ts";
import { combineLayers } from "../plan/merge-layers.ts";
import { takeLayers, type PlanInput } from "../mount/load-plan.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { hasParts } from "./origins.ts";
import { findHistory, findPosition, showPath, type Path, type PlanMap } from "../diagnostics/positions.ts";
import type { Problem } from "../diagnostics/problems.ts";

/** One value of the effective plan, and where it was written. */
export interface EffectiveValue {
  readonly path: string;
  readonly value: Json;
  readonly position: PlanPosition | undefined;
  /** Where lower layers said something else, the nearest first. */
  readonly before: readonly PlanPosition[];
}

/** A plan of all its layers. Variables are names; values under names of secrets are masked. */
export interface EffectivePlan {
  /** Lowest first. */
  readonly files: readonly string[];
  readonly value: JsonObject;
  readonly values: readonly EffectiveValue[];
  /** As YAML, every value with the place it was written at, as a comment; `place` says how places are written. */
  toYaml(place: (position: PlanPosition) => string): Promise<string>;
  /** What is wrong with the layers themselves. */
  readonly problems: readonly Problem[];
}

/** Puts the layers of a plan together, and tells where each value comes from. No module is looked for. */
export async function readEffectivePlan(
  input?: PlanInput,
  options: OpenHostOptions = {},
): Promise<EffectivePlan> {
  const layers = await takeLayers(input, fillOptions(options));
  const { value: whole, map, problems } = combineLayers(layers);
  const value = redact(whole) as JsonObject;
  return {
    files: layers.layers.flatMap(({ file }) => file ?? []),
    value,
    values: [...leavesOf(value, [], map)],
    problems,
    toYaml: (place) => printYaml(value, map, place),
  };
}

function* leavesOf(value: Json, path: Path, map: PlanMap): Generator<EffectiveValue> {
  if (!hasParts(value)) {
    const before = findHistory(map, path).slice(1);
    yield { path: showPath(path), value, position: findPosition(map, path), before };
    return;
  }
  for (const [key, inner] of membersOf(value)) yield* leavesOf(inner, [...path, key], map);
}

function membersOf(value: Json): readonly (readonly [string | number, Json])[] {
  if (Array.isArray(value)) return value.map((inner: Json, index) => [index, inner] as const);
  return Object.entries(value as JsonObject);
}

async function printYaml(
  value: JsonObject,
  map: PlanMap,
  place: (position: PlanPosition) => string,
): Promise<string> {
  const { Document, visit, isPair, isScalar, isNode, isCollection } = await import("yaml");
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Node(_, node, ancestors) {
      if (isCollection(node) && node.items.length > 0) return;
      const path: (string | number)[] = [];
      const line = [...ancestors, node];
      for (const [index, ancestor] of line.entries()) {
        const next = line[index + 1];
        if (isPair(ancestor) && isScalar(ancestor.key)) {
          if (next === ancestor.key) return;
          path.push(String(ancestor.key.value));
        } else if (isCollection(ancestor) && isNode(next)) path.push(ancestor.items.indexOf(next as never));
      }
      const position = findPosition(map, path);
      if (isCollection(node)) node.flow = true;
      if (position !== undefined) node.comment = ` ${place(position)}`;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}
