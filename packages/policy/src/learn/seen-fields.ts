import type { ToolInfo } from "@toolmount/core";
import { leavesOf } from "../flows/leaves.ts";
import type { Trust } from "../flows/schema.ts";
import { normalize } from "../flows/text.ts";
import type { RecordedSession, RecordedStep } from "./recorded.ts";

/** A field of a tool's results, in all of its records. */
export interface SeenField {
  readonly tool: string;
  /** As a line of `results` names it: `*.order_id`. */
  readonly glob: string;
  /**
   * The module or server that mounted the tool, and the last key of its path; for a list without keys, the tool. Fields of the same
   * name are alike: those of another server are not, since others write its results.
   */
  readonly name: string;
  /** What all of its values look like; null for texts, links and whatever else a person may have written. */
  readonly trust: Trusted | null;
}

/** The trusts that a field may get. */
export type Trusted = Extract<Trust, "contact" | "structured">;

/** All fields of all results, and what the values look like of which a line about the field would speak. */
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
 * Tools that return the user's own record: called without arguments, they return the same flat object each time. It has a value which
 * the plan names as the user's, and no mail address that the plan does not: a message to the user is no record.
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

/** Numbers of a record may change, such as a balance. */
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

/** The glob of a path from its last key on, in every record. The whole of a result is no field. */
export function globOf(path: string): { readonly glob: string; readonly last: string | null } {
  const parts = path.split(".").slice(1);
  const at = parts.findLastIndex((part) => isName.test(part));
  const rest = parts.slice(at + 1).map(() => ".*");
  if (at === -1) return { glob: rest.length === 0 ? "" : "*", last: null };
  return { glob: `*.${parts[at]}${rest.length === 0 ? "" : ".*"}`, last: parts[at]! };
}

/** Globs that other fields give and that fit this path, too: `*` and `*.members.*`. */
function wideGlobsOf(path: string): readonly string[] {
  const above = path.split(".").slice(1, -1);
  return ["*", ...above.filter((part) => isName.test(part)).map((part) => `*.${part}.*`)];
}

/** The values in a leaf: a text of a service may have one in each line, and after each label. */
export function piecesOf(value: string | number): readonly string[] {
  return typeof value === "number"
    ? [String(value)]
    : value.split(/\n|, |: /).flatMap((piece) => (piece.trim() === "" ? [] : [piece.trim()]));
}

const person = /^[^\s@]+@[^\s@]+\.[^\s@]+$|^\+\d[\d\s()./-]{5,}$|^[A-Z]{2}\d{2}(?: ?[A-Z0-9]){10,30}$/;
const time = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?$/;
// A name that a person chose may be one word, too: an id of a service has a digit, or parts.
const made = /^(?=.*[\d_/-])[^\s@]{1,100}$/;
const link = /:\/\/|^www\./;

/** What the values of a field look like so far. */
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

  /** One value alone shows no form. */
  trust(): SeenField["trust"] {
    if (this.#first === null || this.#isOne) return null;
    return this.#isPerson ? "contact" : this.#isMade ? "structured" : null;
  }
}
