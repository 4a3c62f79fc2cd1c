import type { RuleProblem, ToolSubject } from "@toolmount/core/validation";
import { problemOf, type ToolRule } from "./tool-subject.ts";

/** Breaches of the result contract for which there is a separate rule, recognized by the host's message. */
const breaches = {
  noSuccess: /no "success"/,
  noTimestamp: /no "timestamp"/,
  xor: /data or error: exactly one/,
  fetchedAt: /fetchedAt is not/,
  named: /names the tool/,
};
const namedBreaches = Object.values(breaches);

/** The checks of results. */
export const resultRules: readonly ToolRule[] = [
  resultRule(
    "result_no_success",
    breaches.noSuccess,
    "the error marks a failure; a second mark can contradict it",
    "remove success",
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
    "a result is either a success or a failure",
    "return data or error, exactly one",
  ),
  resultRule(
    "result_fetched_at",
    breaches.fetchedAt,
    "results are ordered by the time they were made",
    "set fetchedAt to an ISO 8601 time, on failures too",
  ),
  resultRule("result_tool_name", breaches.named, "a result names its tool", "use the name of the definition"),
  resultRule(
    "result_contract",
    null,
    "a value that is not a result cannot be read",
    "return the shape that the contract describes",
  ),
  {
    id: "omission_said",
    severity: "error",
    why: "a model takes a result without omitted as whole",
    fix: "list what the result leaves out: data(value, { omitted: [{ what, amount, why, how }] })",
    *check(subject) {
      if (!subject.saysOmissions)
        yield problemOf(
          subject,
          "partial",
          "no call is given whose result leaves something out, and no empty list",
        );
      for (const { kind, arguments: given, outcome } of subject.calls)
        if (kind === "partial" && outcome.result.omitted === undefined)
          yield problemOf(subject, "execute", `its result says nothing is left out: ${shortJson(given)}`);
    },
  },
  {
    id: "output_schema",
    severity: "error",
    why: "readers of the data rely on the schema",
    fix: "correct the schema or the data",
    *check(subject) {
      const bad = subject.calls.find(({ outcome }) => outcome.result.code === "OUTPUT_INVALID");
      if (bad !== undefined) yield problemOf(subject, "outputSchema", bad.outcome.result.error!);
    },
  },
];

function shortJson(given: unknown): string {
  return JSON.stringify(given).slice(0, 200);
}

/** Makes a rule about one breach or, if `test` is null, about every breach that has no other rule. */
function resultRule(id: string, test: RegExp | null, why: string, fix: string): ToolRule {
  return { id, severity: "error", why, fix, check: (subject) => invalidResults(subject, test) };
}

function* invalidResults(subject: ToolSubject, test: RegExp | null): Generator<RuleProblem> {
  const reported = new Set<string>();
  for (const { outcome } of subject.calls) {
    const { code, error = "" } = outcome.result;
    if (code !== "CONTRACT_VIOLATION" || reported.has(error)) continue;
    const isNamed = namedBreaches.some((breach) => breach.test(error));
    if (test === null ? isNamed : !test.test(error)) continue;
    reported.add(error);
    yield problemOf(subject, "execute", error);
  }
}
