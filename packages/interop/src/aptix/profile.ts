import { messageOf } from "@toolmount/core/errors";
import { silentLogger } from "@toolmount/core";
import type { Profile, RuleProblem, ToolSubject } from "@toolmount/core/validation";
import { findServices, makeInstance } from "./injection.ts";
import { aptixClassOf, mentions, type AptixInstance } from "./tool-class.ts";
import { isRecord } from "../schema/guards.ts";
import { enforced, problemAt, texted, type ToolRule } from "../profile-words.ts";

const simpleTypes = ["string", "number", "integer", "boolean", "object", "array"];

function parametersOf({
  info,
}: ToolSubject): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  const properties = info?.inputSchema["properties"];
  return isRecord(properties) ? (Object.entries(properties) as [string, Record<string, unknown>][]) : [];
}

/** Returns an instance of the tool, made with a silent log and no other services; null if that is not possible. */
function bareTool({ thing }: ToolSubject): AptixInstance | null {
  if (typeof thing !== "function") return (thing as AptixInstance | null) ?? null;
  const type = aptixClassOf(thing);
  if (type === null) return null;
  const bare = { logger: silentLogger, capabilities: () => [], getCapability: () => null };
  const made = makeInstance(type, findServices(type, bare), bare);
  return "rule" in made ? null : made;
}

const context = { SessionId: "trial", UserId: "trial", Request: { ConversationId: "trial" } };

async function* direct(
  subject: ToolSubject,
  text: string,
  signal?: AbortSignal,
): AsyncGenerator<RuleProblem> {
  const tool = subject.info === null ? null : bareTool(subject);
  if (tool === null) return;
  try {
    const answer = await tool.ExecuteAsync(text, context, signal);
    if (!isRecord(answer) || typeof answer["Successful"] !== "boolean")
      yield problemAt(subject, "ExecuteAsync", "it does not answer with an InvokeResult");
  } catch (thrown) {
    yield problemAt(subject, "ExecuteAsync", `it throws: ${messageOf(thrown)}`.slice(0, 300));
  }
}

async function gather(problems: AsyncGenerator<RuleProblem>): Promise<readonly RuleProblem[]> {
  const found: RuleProblem[] = [];
  for await (const problem of problems) found.push(problem);
  return found;
}

/** Sentences that say when not to use a tool, which do not count as saying when to use it. */
const refusals = /\b(?:do not|don't|never|must not|should not)\b[^.\n]*/gi;

/** The parts that a usage text needs, and the patterns by which each is recognised (A5 §7.2.1, §7.2.2). */
const usageParts: readonly (readonly [id: string, pattern: RegExp, what: string])[] = [
  ["usage_purpose", /primary purpose|purpose:|^[\w-]+ ?[:—-] ?\w/im, "its primary purpose"],
  [
    "usage_when",
    /\b(?:use|call|invoke) (?:it|this|this tool|the tool|[a-z_]+)?\s*(?:when|whenever|if|to|for|before|after|once|only)\b|\bwhen the\b/i,
    "when to use the tool",
  ],
  [
    "usage_when_not",
    /\b(?:do not|don't|never|not for|must not|should not|instead of|avoid)\b/i,
    "when not to use the tool",
  ],
  ["usage_arguments", /\barguments?\b|\bparameters?\b/i, "how to construct the arguments"],
  ["usage_errors", /\berrors?\b|\bfail(?:s|ure|ures)?\b/i, "which errors are known"],
  ["usage_examples", /\bexamples?\b|\bgood usage\b/i, "good and bad usage"],
];

const usageRules: readonly ToolRule[] = usageParts.map(([id, pattern, what]) =>
  texted(
    id,
    "warning",
    {
      why: "the guidance that a model reads is made of this text alone",
      fix: `say ${what}`,
      problem: `it does not say ${what}`,
    },
    (usage) => pattern.test(id === "usage_when" ? usage.replaceAll(refusals, "") : usage),
  ),
);

/**
 * The rules of Aptix: those of its registry, and those of AGN-005 about schema and usage metadata. A tool complies only if it
 * meets all of them.
 */
export const aptixProfile: Profile = {
  name: "aptix",
  origin: "aptix",
  toolRules: [
    enforced(
      "tool_name_constant",
      "the name is readable without an instance",
      'static readonly ToolName = "…"',
    ),
    enforced(
      "usage_constant",
      "the usage text is readable without an instance, and never missing",
      "static readonly ToolUsageMetadata = `…`",
    ),
    enforced(
      "names_agree",
      "the model calls by the schema's name, the registry finds by the tool's",
      "use one string for ToolName, Name and the schema's name",
    ),
    enforced("name_grammar", "providers take letters, digits, _ and - only", "rename it"),
    enforced("name_snake_case", "one way of writing names", "write it in lower snake case"),
    enforced(
      "schema_method",
      "the schema is offered to the model as it is",
      'static GetSchema() { return { type: "function", name, description, parameters } }',
    ),
    enforced(
      "schema_envelope",
      "arguments are an object",
      'parameters: { type: "object", properties, required }',
    ),
    enforced("schema_required", "the list is there even when it is empty", "required: []"),
    enforced(
      "server_flag",
      "the executor reads where a tool runs from it alone",
      "get IsToolFullyExecutedOnServer() { return true; }",
    ),
    {
      id: "server_flag_absent",
      severity: "warning",
      why: "TUL-011 asks for the flag; without it a tool runs on the server, as AGN-005 has it",
      fix: "get IsToolFullyExecutedOnServer() { return true; }",
      *check(subject) {
        const tool = subject.info === null ? null : bareTool(subject);
        if (tool !== null && tool.IsToolFullyExecutedOnServer === undefined)
          yield problemAt(subject, "IsToolFullyExecutedOnServer", "it does not say where it runs");
      },
    },
    enforced(
      "constructible",
      "tools are made by injection",
      "let the constructor only keep what it is given",
    ),
    {
      id: "parameter_types",
      severity: "error",
      why: "a model writes what the type says",
      fix: `give every parameter one of ${simpleTypes.join(", ")}`,
      *check(subject) {
        for (const [name, { type }] of parametersOf(subject))
          if (typeof type !== "string" || !simpleTypes.includes(type))
            yield problemAt(subject, `parameters.${name}`, "it has no simple JSON type");
      },
    },
    {
      id: "parameter_descriptions",
      severity: "error",
      why: "a name alone leaves a model guessing",
      fix: "describe every parameter in a few words",
      *check(subject) {
        for (const [name, { description }] of parametersOf(subject))
          if (typeof description !== "string" || description.trim() === "")
            yield problemAt(subject, `parameters.${name}`, "it has no description");
      },
    },
    // The example of TUL-011 §6 and the text of TUL-010 §5 mention no argument, and both comply, so this is only a warning.
    texted(
      "usage_in_step",
      "warning",
      {
        why: "guidance that contradicts the schema makes wrong calls",
        fix: "name every argument of the schema",
        problem: "it leaves out an argument of the schema",
      },
      (usage, subject) => parametersOf(subject).every(([name]) => mentions(usage, name)),
    ),
    texted(
      "usage_environment",
      "warning",
      {
        why: "the text goes into every prompt, wherever the tool runs",
        fix: "leave out paths, hosts and ports of one machine",
        problem: "it names something of one machine",
      },
      (usage) =>
        !/(?:^|\s)(?:\/(?:home|Users|srv|var|opt)\/|[A-Z]:\\)|\b(?:localhost|127\.0\.0\.1):\d+|\b\w+\.internal\b/m.test(
          usage,
        ),
    ),
    texted(
      "usage_internals",
      "warning",
      {
        why: "internals change without the contract changing",
        fix: "describe what the tool does, not how its code is cut",
        problem: "it names source files or code",
      },
      (usage) => !/\b[\w-]+\.(?:ts|tsx|mts|js|mjs|cs|py)\b(?::\d+)?|\bTODO\b|\bclass [A-Z]\w+/.test(usage),
    ),
    texted(
      "usage_length",
      "warning",
      {
        why: "a text that is too short does not guide, and a long one costs tokens with every request",
        fix: "write between 80 and 8000 characters",
        problem: "it is too short or too long",
      },
      (usage) => usage.trim().length >= 80 && usage.length <= 8_000,
    ),
    ...usageRules,
    {
      id: "blank_arguments",
      severity: "error",
      why: "a model may send nothing at all",
      fix: "check the argument text first, and answer with FromError",
      check: (subject) => (subject.isHarmless ? gather(direct(subject, "")) : []),
    },
    {
      id: "cancellation",
      severity: "error",
      why: "a cancelled call ends in a result, never in a throw",
      fix: "look at the token, and answer with a success that describes the cancellation",
      check: (subject) =>
        subject.isHarmless
          ? gather(direct(subject, JSON.stringify(subject.sample ?? {}), AbortSignal.abort()))
          : [],
    },
  ],
};
