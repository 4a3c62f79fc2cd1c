import {
  scanDefinition,
  type DefinitionFindingKind,
  type Rule,
  type RuleProblem,
  type ToolSubject,
} from "@toolmount/core";
import { Overdue } from "../trial/deadline.ts";

export type ToolRule = Rule<ToolSubject>;

const of = (subject: ToolSubject, part: string, problem: string): RuleProblem => ({
  where: `tools.${subject.name || "(without a name)"}${part === "" ? "" : `.${part}`}`,
  problem,
});

/** A rule that the host itself enforces when a tool is mounted. */
function enforced(id: string, why: string, mend: string): ToolRule {
  return {
    id,
    severity: "error",
    why,
    mend,
    *check(subject) {
      if (subject.refusedBy === id) yield of(subject, "", subject.refused!.message);
    },
  };
}

/** A rule about what a scan of the definition finds. */
function scanned(
  id: string,
  kinds: readonly DefinitionFindingKind[],
  severity: "error" | "warning",
  why: string,
  mend: string,
): ToolRule {
  return {
    id,
    severity,
    why,
    mend,
    *check(subject) {
      for (const { kind, path, message, excerpt } of scanDefinition(textsOf(subject))) {
        // For its name the host has refused the tool, and said why.
        if (kind === "name" && path === "name" && subject.refused !== null) continue;
        if (kinds.includes(kind) && excerpt !== "") yield of(subject, path, `${message}: "${excerpt}"`);
      }
    },
  };
}

/** Every text of a tool: of what was listed, else of the thing as it is. */
function textsOf({ info, thing }: ToolSubject): Readonly<Record<string, unknown>> {
  if (info !== null) {
    const { name, description, inputSchema, outputSchema, usage, summary, tags, version, modes, dependsOn } =
      info;
    return { name, description, inputSchema, outputSchema, usage, summary, tags, version, modes, dependsOn };
  }
  if (typeof thing !== "object" || thing === null) return {};
  return {
    name: readMember(thing, "name"),
    description: readMember(thing, "description"),
    usage: readMember(thing, "usage"),
    inputSchema: readMember(thing, "input_schema"),
  };
}

/** A member of a thing that the host refused; undefined when its getter throws, of which the refusal tells. */
function readMember(thing: object, key: string): unknown {
  try {
    return (thing as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}

/** Whether a thing is one of ours: made with `defineTool`, or a plain definition that knows our members. */
export function isOurs({ info }: ToolSubject): boolean {
  return info?.origin === "toolmount";
}

type Member = readonly [path: string, schema: Readonly<Record<string, unknown>>];

/** The parameters of a schema by their paths, those inside objects and lists too. */
function members(schema: unknown, before = "inputSchema", depth = 0): readonly Member[] {
  const { properties, items } = (schema ?? {}) as { properties?: unknown; items?: unknown };
  if (depth > 8) return [];
  const own = isRecord(properties) ? Object.entries(properties).filter(isMember) : [];
  return [
    ...own.flatMap(([name, member]): readonly Member[] => {
      const path = `${before}.properties.${name}`;
      return [[path, member], ...members(member, path, depth + 1)];
    }),
    ...(isRecord(items) ? members(items, `${before}.items`, depth + 1) : []),
  ];
}

function isMember(entry: [string, unknown]): entry is [string, Readonly<Record<string, unknown>>] {
  return isRecord(entry[1]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const simpleTypes = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function isTyped(schema: unknown, depth = 0): boolean {
  if (typeof schema !== "object" || schema === null || depth > 6) return false;
  const node = schema as Readonly<Record<string, unknown>>;
  const { type } = node;
  if (typeof type === "string") return simpleTypes.has(type);
  if (Array.isArray(type)) return type.every((one) => simpleTypes.has(String(one)));
  if ("enum" in node || "const" in node || typeof node["$ref"] === "string") return true;
  const parts = [node["anyOf"], node["oneOf"], node["allOf"]].find(Array.isArray);
  return parts?.every((part) => isTyped(part, depth + 1)) ?? false;
}

/** Parameters without a type, or of one that JSON does not have. */
function* untyped(subject: ToolSubject): Generator<RuleProblem> {
  for (const [path, schema] of members(subject.info?.inputSchema))
    if (!isTyped(schema)) yield of(subject, path, "it has no simple JSON type");
}

/** Parameters without a description. */
function* undescribed(subject: ToolSubject): Generator<RuleProblem> {
  for (const [path, { description }] of members(subject.info?.inputSchema))
    if (typeof description !== "string" || description.trim() === "")
      yield of(subject, path, "it has no description");
}

function* badResult(subject: ToolSubject, test: RegExp | null): Generator<RuleProblem> {
  const told = new Set<string>();
  for (const { outcome } of subject.calls) {
    const { code, error = "" } = outcome.result;
    if (code !== "CONTRACT_VIOLATION" || told.has(error)) continue;
    const isNamed = namedBreaches.some((breach) => breach.test(error));
    if (test === null ? isNamed : !test.test(error)) continue;
    told.add(error);
    yield of(subject, "execute", error);
  }
}

/** Breaches that have a rule of their own, by the words of the host. */
const breaches = {
  noSuccess: /no "success"/,
  noTimestamp: /no "timestamp"/,
  xor: /data or error: exactly one/,
  fetchedAt: /fetchedAt is not/,
  named: /names the tool/,
};
const namedBreaches = Object.values(breaches);

function resultRule(id: string, test: RegExp | null, why: string, mend: string): ToolRule {
  return { id, severity: "error", why, mend, check: (subject) => badResult(subject, test) };
}

/** A word that draws a line, or the tool to use for what lies beyond it: "; to find notes, use search_notes". */
const excludes =
  /\b(?:not|never|instead|only|rather|unless|without|no|cannot|except)\b|n't\b|[;,] (?:to|for|when)\b[^.;]*\buse\b|;[^.]*\w_\w/i;

/** The checks of every tool, whatever its contract. */
export const toolRules: readonly ToolRule[] = [
  {
    id: "tool_mountable",
    severity: "error",
    why: "a tool that the host refuses is not there",
    mend: "mend what the message says",
    *check(subject) {
      // A reference out of the schema has a rule of its own.
      const isExplained = scanDefinition(textsOf(subject)).some(({ kind }) => kind === "ref");
      if (subject.refusedBy === "tool_mountable" && !isExplained)
        yield of(subject, "", subject.refused!.message);
    },
  },
  enforced(
    "schema_json",
    "arguments are JSON on every way: model, process, network",
    "take transforms, dates and coercion out of the schema, into execute",
  ),
  enforced("name_duplicate", "a name stands for one tool", "rename one of them"),
  enforced("tool_name", "a tool is called by its name", "give it a name that is a text and not empty"),
  enforced("tool_execute", "execute is what a call runs", "give it an execute"),
  enforced("tool_input_schema", "models write arguments by the schema", "give a JSON Schema object"),
  {
    id: "tool_execute_async",
    severity: "error",
    why: "execute is awaited, and gets the arguments",
    mend: "write it as async execute(input, context)",
    *check(subject) {
      const execute = (subject.thing as { execute?: unknown } | null)?.execute;
      if (subject.info === null || isOurs(subject) || typeof execute !== "function") return;
      if (execute.length === 0 && !/\.\.\.|arguments/.test(Function.prototype.toString.call(execute)))
        yield of(subject, "execute", "it takes no input");
      else if (
        subject.calls.some(({ returned, ran, thrown }) => ran && thrown === null && returned === undefined)
      )
        yield of(subject, "execute", "it returns nothing");
    },
  },
  {
    id: "name_grammar",
    severity: "warning",
    why: "providers take letters, digits, _ and - only, 64 of them",
    mend: "rename it, or know that it is offered under another name",
    *check(subject) {
      if (subject.info !== null && !/^[a-zA-Z0-9_-]{1,64}$/.test(subject.name))
        yield of(subject, "name", `"${subject.name}" has other signs, or too many`);
    },
  },
  {
    id: "name_snake_case",
    severity: "warning",
    why: "one way of writing names is easier to remember than two",
    mend: "write it in lower snake case",
    *check(subject) {
      const { name, info } = subject;
      if (info !== null && /^[a-zA-Z0-9_-]{1,64}$/.test(name) && !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
        yield of(subject, "name", `"${name}" is not lower snake case`);
    },
  },
  {
    id: "description_length",
    severity: "warning",
    why: "every description is paid for with every request",
    mend: "say it in one or two sentences, and put the rest into usage",
    *check(subject) {
      const { description = "" } = subject.info ?? {};
      const sentences = description.split(/(?<=[.!?])\s+(?=[A-Z])/).length;
      if (isOurs(subject) && (sentences > 3 || description.length > 500))
        yield of(
          subject,
          "description",
          `it has ${sentences} sentences and ${description.length} characters`,
        );
    },
  },
  {
    id: "description_when",
    severity: "warning",
    why: "a model decides by the description alone whether to call",
    mend: 'say when to use it: "Use when …"',
    *check(subject) {
      if (
        isOurs(subject) &&
        !/\b(?:use|used|call|when|whenever|if|for|after|before)\b/i.test(subject.info!.description)
      )
        yield of(subject, "description", "it does not say when to use the tool");
    },
  },
  {
    id: "description_when_not",
    severity: "warning",
    why: "half of the wrong calls are of a tool that was almost right",
    mend: 'say when not to use it, or what to use instead: "…; to find notes, use search_notes instead"',
    *check(subject) {
      if (isOurs(subject) && !excludes.test(subject.info!.description))
        yield of(subject, "description", "it does not say when not to use the tool");
    },
  },
  {
    id: "schema_types",
    severity: "warning",
    why: "a model writes what the type says",
    mend: "give every parameter a simple JSON type",
    *check(subject) {
      if (isOurs(subject)) yield* untyped(subject);
    },
  },
  {
    id: "schema_descriptions",
    severity: "warning",
    why: "a name alone leaves a model guessing",
    mend: "describe every parameter in a few words",
    *check(subject) {
      if (isOurs(subject)) yield* undescribed(subject);
    },
  },
  scanned(
    "text_hidden",
    ["tags", "zero-width", "variation-selectors", "bidi", "ansi", "control"],
    "error",
    "people approve what they see, models read what is there",
    "take the characters out",
  ),
  scanned(
    "text_padding",
    ["padding"],
    "warning",
    "text out of sight is not reviewed",
    "take the empty space out",
  ),
  scanned(
    "text_too_long",
    ["too-long"],
    "warning",
    "nobody reviews a text of that length, and every request pays for it",
    "shorten it",
  ),
  scanned(
    "text_injection",
    ["injection"],
    "warning",
    "a definition describes a tool; it does not steer the model",
    "say what the tool does, and leave out what the model is to do elsewhere",
  ),
  scanned(
    "text_secret",
    ["secret"],
    "error",
    "a definition goes to every model and every log",
    "take the secret out, and revoke it",
  ),
  scanned(
    "name_lookalike",
    ["name"],
    "warning",
    "a name that looks like another is taken for it",
    "use plain ASCII letters, and no name that every object has",
  ),
  scanned(
    "schema_ref",
    ["ref"],
    "error",
    "a schema must be whole: nothing is fetched for it",
    "put what is referred to under $defs",
  ),
  scanned(
    "schema_pattern",
    ["pattern"],
    "warning",
    "a pattern of exponential cost lets one argument stop the host",
    "write the pattern so that each text can be read in one way",
  ),
  {
    id: "execute_never_throws",
    severity: "error",
    why: "what goes wrong is an answer that a model can read",
    mend: "catch it and return failure(…), or throw a ToolError with words for the model",
    *check(subject) {
      for (const { arguments: given, thrown } of subject.calls) {
        if (thrown === null || thrown.value instanceof Overdue || isMeant(thrown.value)) continue;
        const { name, message } =
          thrown.value instanceof Error ? thrown.value : { name: typeof thrown.value, message: "" };
        yield of(subject, "execute", `it throws on ${shown(given)}: ${name} ${message}`.slice(0, 300));
        break;
      }
    },
  },
  {
    id: "execute_ends",
    severity: "error",
    why: "a call that never ends keeps its caller waiting until the deadline, and its resources for good",
    mend: "give what the tool waits for a deadline, and pass context.abortSignal to it",
    *check(subject) {
      const hung = subject.calls.find(({ thrown }) => thrown?.value instanceof Overdue);
      if (hung !== undefined)
        yield of(
          subject,
          "execute",
          `on ${shown(hung.arguments)} ${(hung.thrown!.value as Overdue).message}`,
        );
    },
  },
  resultRule(
    "result_no_success",
    breaches.noSuccess,
    "an error is the sign of failure; two signs may contradict",
    "leave success out",
  ),
  resultRule(
    "result_no_timestamp",
    breaches.noTimestamp,
    "the field is called fetchedAt",
    "rename it to fetchedAt",
  ),
  resultRule(
    "result_data_xor_error",
    breaches.xor,
    "a result is a success or a failure",
    "return data or error, exactly one",
  ),
  resultRule(
    "result_fetched_at",
    breaches.fetchedAt,
    "results are ordered by when they were made",
    "set fetchedAt to an ISO 8601 time, on failures too",
  ),
  resultRule(
    "result_tool_name",
    breaches.named,
    "a result tells whose it is",
    "give the name of the definition",
  ),
  resultRule("result_contract", null, "what is no result tells nothing", "return what the contract says"),
  {
    id: "output_schema",
    severity: "error",
    why: "who reads the data trusts the schema",
    mend: "mend the schema or the data",
    *check(subject) {
      const bad = subject.calls.find(({ outcome }) => outcome.result.code === "OUTPUT_INVALID");
      if (bad !== undefined) yield of(subject, "outputSchema", bad.outcome.result.error!);
    },
  },
  {
    id: "valid_calls",
    severity: "error",
    why: "arguments that its author calls valid must be answered",
    mend: "mend the tool or the example",
    *check(subject) {
      for (const { kind, outcome, arguments: given, thrown } of subject.calls) {
        if (kind !== "valid" || thrown !== null || outcome.status === "ok" || outcome.status === "pending")
          continue;
        if (["CONTRACT_VIOLATION", "OUTPUT_INVALID"].includes(outcome.result.code ?? "")) continue;
        yield of(
          subject,
          "execute",
          `${JSON.stringify(given)} gives ${outcome.status}: ${outcome.result.error ?? ""}`.slice(0, 300),
        );
      }
    },
  },
  {
    id: "invalid_calls",
    severity: "error",
    why: "arguments that its author calls invalid must be refused",
    mend: "let the schema refuse them, with a sentence that says why",
    *check(subject) {
      for (const { kind, outcome, arguments: given } of subject.calls)
        if (kind === "invalid" && outcome.status === "ok")
          yield of(subject, "execute", `${JSON.stringify(given)} is taken`.slice(0, 300));
    },
  },
];

/** Arguments as a finding tells them. */
function shown(given: unknown): string {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Errors whose words are for the model, and interrupts. */
function isMeant(value: unknown): boolean {
  return value instanceof Error && ["ToolError", "ToolInterrupt", "ContractBreach"].includes(value.name);
}
