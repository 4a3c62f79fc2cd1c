import type { Json, JsonObject } from "@toolmount/core";
import { isRecord } from "@toolmount/core/json";
import type { Mutant } from "./mutant.ts";

/** Returns plans that differ in one line of flows: without it, its `intent` or `audience`, or with another answer or trust. */
export function mutateFlows(plan: JsonObject, policy: JsonObject): Mutant[] {
  const { flows } = policy;
  if (!isRecord(flows)) return [];
  return (["identity", "results", "into"] as const).flatMap((list) => {
    const lines = listOf(flows[list]);
    return lines.flatMap((line, at) =>
      changesOf(list, line).map(({ change, to }) => ({
        plan: { ...plan, policy: { ...policy, flows: { ...flows, [list]: put(lines, at, to) } } },
        path: ["policy", "flows", list, at],
        change,
      })),
    );
  });
}

interface Change {
  readonly change: string;
  /** The changed line; null if the line is removed. */
  readonly to: Json | null;
}

const removed: Change = { change: "removed", to: null };

function changesOf(list: "identity" | "results" | "into", line: Json): readonly Change[] {
  if (list === "identity") return [removed];
  const written = line as JsonObject;
  if (list === "into")
    return [flipAnswer(written), ...without("intent", written), ...without("audience", written)];
  const isBare = written["trust"] === undefined && written["fields"] === undefined;
  return isBare && written["audience"] !== undefined
    ? [removed]
    : [...flipTrust(written), ...without("audience", written)];
}

function flipAnswer(line: JsonObject): Change {
  const answer = (line["else"] as string | undefined) ?? "ask";
  const other = answer === "ask" ? "deny" : "ask";
  return { change: `${answer} → ${other}`, to: { ...line, else: other } };
}

function without(key: "intent" | "audience", line: JsonObject): readonly Change[] {
  if (line[key] === undefined) return [];
  const rest = Object.fromEntries(Object.entries(line).filter(([name]) => name !== key));
  return [{ change: `without ${key}`, to: rest }];
}

/** Changes a trust to untrusted, and untrusted to trusted. */
function flipTrust(line: JsonObject): readonly Change[] {
  const other = (trust: Json) => (trust === "untrusted" ? "trusted" : "untrusted");
  const { trust, fields = {} } = line;
  const whole =
    trust === undefined
      ? []
      : [{ change: `${trust as string} → ${other(trust)}`, to: { ...line, trust: other(trust) } }];
  const named = Object.entries(fields as JsonObject).map(([field, said]) => ({
    change: `${field}: ${said as string} → ${other(said)}`,
    to: { ...line, fields: { ...(fields as JsonObject), [field]: other(said) } },
  }));
  return [...whole, ...named];
}

function put(lines: readonly Json[], at: number, to: Json | null): readonly Json[] {
  return to === null ? lines.filter((_, index) => index !== at) : lines.with(at, to);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
