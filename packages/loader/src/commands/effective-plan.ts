import type { Json, JsonObject, PlanPosition } from "@toolmount/core";
import { redact } from "@toolmount/core/text";
import { membersOf } from "../diagnostics/json.ts";
import { fillOptions } from "../host/defaults.ts";
import { readReferences } from "../plan/interpolate.ts";
import { mergeParts } from "../plan/merge-parts.ts";
import { takeParts, type PlanInput } from "../mount/load-plan.ts";
import type { OpenHostOptions } from "../host/options.ts";
import { findHistory, findPosition, showPath, type Path, type PlanMap } from "../diagnostics/positions.ts";
import type { Problem } from "../diagnostics/problems.ts";

/** One value of the merged plan, and the place that writes it. */
export interface EffectiveValue {
  readonly path: string;
  readonly value: Json;
  readonly position: PlanPosition | undefined;
  /** The places at which lower parts of the plan had another value, the nearest part first. */
  readonly before: readonly PlanPosition[];
}

/** A plan with its included parts merged. Variables are not filled in, and values under keys that name secrets are masked. */
export interface EffectivePlan {
  /** The files of the parts, the lowest first. */
  readonly files: readonly string[];
  readonly value: JsonObject;
  readonly values: readonly EffectiveValue[];
  /** The variables to which the plan refers. A variable is required unless it has a default wherever it is used. */
  readonly variables: readonly { readonly name: string; readonly isRequired: boolean }[];
  /** Prints the plan as YAML, with the place of each value in a comment. `place` converts a position to text. */
  toYaml(place: (position: PlanPosition) => string): Promise<string>;
  /** Problems of the files themselves, such as an unreadable one. */
  readonly problems: readonly Problem[];
}

/** Merges the parts of a plan, and finds where each value is written. Searches no modules. */
export async function readEffectivePlan(
  input?: PlanInput,
  options: OpenHostOptions = {},
): Promise<EffectivePlan> {
  const parts = await takeParts(input, fillOptions(options));
  const { value: whole, map, problems } = mergeParts(parts);
  const value = redact(whole) as JsonObject;
  return {
    files: parts.parts.flatMap(({ file }) => file ?? []),
    value,
    values: [...leavesOf(value, [], map)],
    variables: variablesOf(whole),
    problems,
    toYaml: (place) => printYaml(value, map, place),
  };
}

function variablesOf(value: JsonObject): EffectivePlan["variables"] {
  const found = new Map<string, boolean>();
  const read = (one: Json): void => {
    if (typeof one === "string")
      for (const { name, fallback } of readReferences(one))
        found.set(name, found.get(name) === true || fallback === undefined);
    else if (typeof one === "object" && one !== null) for (const member of Object.values(one)) read(member);
  };
  read(value);
  return [...found].map(([name, isRequired]) => ({ name, isRequired }));
}

function* leavesOf(value: Json, path: Path, map: PlanMap): Generator<EffectiveValue> {
  const members = membersOf(value);
  if (members.length === 0) {
    const before = findHistory(map, path).slice(1);
    yield { path: showPath(path), value, position: findPosition(map, path), before };
    return;
  }
  for (const [key, inner] of members) yield* leavesOf(inner, [...path, key], map);
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
