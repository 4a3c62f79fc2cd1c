import type { ToolInfo } from "@toolmount/core";
import { leavesOf } from "../flows/leaves.ts";
import type { Trust } from "../flows/schema.ts";
import { normalize } from "../flows/text.ts";
import type { RecordedSession, RecordedStep } from "./recorded.ts";

/** One field of a tool's results: all values in the recorded results whose path matches `glob`. */
export interface SeenField {
  readonly tool: string;
  /** The glob by which a line of `results` names the field, for example `*.order_id`. */
  readonly glob: string;
  /**
   * The module or server that mounted the tool, and the last key of the path, or the tool for a list without keys. Fields of the
   * same name are treated alike. Fields of another server are not, because others write its results.
   */
  readonly name: string;
  /** The kind of all values of the field; null for texts, links and whatever else a person may have written. */
  readonly trust: Trusted | null;
}

/** The trusts that a field may get. */
export type Trusted = Extract<Trust, "contact" | "structured">;

/** Returns all fields of all results, with the kind of all values that a line about the field would apply to. */
export function fieldsOf(
  sessions: readonly RecordedSession[],
  tools: readonly ToolInfo[],
): ReadonlyMap<string, SeenField> {
  const owners = new Map(tools.map(({ name, owner }) => [name, owner]));
  const seen = new Map<string, Omit<SeenField, "trust">>();
  const looks = new Map<string, Look>();
  for (const { tool, value } of resultsOf(sessions))
    for (const { path, value: text } of leavesOf(value)) {
      const { glob, last } = globOf(path);
      if (glob !== "" && glob.length <= maxGlobLength)
        seen.set(fieldKey(tool, glob), {
          tool,
          glob,
          name: `${owners.get(tool) ?? ""} ${last ?? `${tool}'s`}`,
        });
      for (const one of new Set([glob, ...wideGlobsOf(path)])) {
        const key = fieldKey(tool, one);
        const look = looks.get(key) ?? new Look();
        looks.set(key, look);
        for (const piece of piecesOf(text)) look.add(piece);
      }
    }
  return new Map([...seen].map(([key, field]) => [key, { ...field, trust: looks.get(key)!.trust() }]));
}

/**
 * Finds tools that return the user's own record: without arguments, they return the same flat object each time. This object
 * has a value that the plan names as the user's, and no other mail address, because a message to the user is not such a record.
 */
export function recordsOf(
  sessions: readonly RecordedSession[],
  identity: readonly string[],
): ReadonlySet<string> {
  const own = new Set(identity.map(normalize));
  const isRecord = ({ arguments: given, value }: RecordedStep) =>
    Object.keys(given).length === 0 &&
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member !== "object") &&
    textsOf(value).some((text) => own.has(text)) &&
    textsOf(value).every((text) => !text.includes("@") || own.has(text));
  const byTool = Map.groupBy(resultsOf(sessions), ({ tool }) => tool);
  return new Set(
    [...byTool].flatMap(([tool, all]) => {
      const texts = new Set(all.map(({ value }) => JSON.stringify(textsOf(value))));
      return texts.size === 1 && all.every(isRecord) ? [tool] : [];
    }),
  );
}

/** Returns the texts of a record, without its numbers, which may change, such as a balance. */
function textsOf(value: RecordedStep["value"]): readonly string[] {
  return Object.values(Object(value) as object).flatMap((member: unknown) =>
    typeof member === "string" ? [normalize(member)] : [],
  );
}

function resultsOf(sessions: readonly RecordedSession[]): readonly RecordedStep[] {
  const steps = sessions.flatMap((session) => session.steps);
  return steps.filter(({ isError, outcome }) => !isError && outcome !== "denied");
}

export function fieldKey(tool: string, glob: string): string {
  return `${tool}\0${glob}`;
}

const isName = /^[A-Za-z_]\w*$/;

/** Longest glob that a plan may have, in characters. */
const maxGlobLength = 200;

/** Returns the glob of a path from its last key on, for all records. A result as a whole is not a field. */
export function globOf(path: string): { readonly glob: string; readonly last: string | null } {
  const parts = path.split(".").slice(1);
  const at = parts.findLastIndex((part) => isName.test(part));
  const rest = parts.slice(at + 1).map(() => ".*");
  if (at === -1) return { glob: rest.length === 0 ? "" : "*", last: null };
  return { glob: `*.${parts[at]}${rest.length === 0 ? "" : ".*"}`, last: parts[at]! };
}

/** Returns wider globs that other fields give and that also match this path: `*` and `*.members.*`. */
function wideGlobsOf(path: string): readonly string[] {
  const above = path.split(".").slice(1, -1);
  return ["*", ...above.filter((part) => isName.test(part)).map((part) => `*.${part}.*`)];
}

/** Returns the values in a leaf. A text of a service may have a value in each line, and after each label. */
export function piecesOf(value: string | number): readonly string[] {
  return typeof value === "number"
    ? [String(value)]
    : value.split(/\n|, |: /).flatMap((piece) => (piece.trim() === "" ? [] : [piece.trim()]));
}

const person = /^[^\s@]+@[^\s@]+\.[^\s@]+$|^\+\d[\d\s()./-]{5,}$|^[A-Z]{2}\d{2}(?: ?[A-Z0-9]){10,30}$/;
const time = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?$/;
// A single word may be a name that a person chose; an id of a service has a digit, or several parts.
const made = /^(?=.*[\d_/-])[^\s@]{1,100}$/;
const link = /:\/\/|^www\./;

/** Collects what the values of a field look like. */
class Look {
  #isPerson = true;
  #isMade = true;
  #first: string | null = null;
  #isOne = true;

  add(value: string): void {
    this.#first ??= value;
    this.#isOne &&= value === this.#first;
    this.#isPerson &&= person.test(value);
    this.#isMade &&= (made.test(value) || time.test(value)) && !link.test(value);
  }

  /** Returns the kind of the values; null if they show no common form, or if there is only one value. */
  trust(): SeenField["trust"] {
    if (this.#first === null || this.#isOne) return null;
    return this.#isPerson ? "contact" : this.#isMade ? "structured" : null;
  }
}
