import type { Judge } from "./judge-host.ts";
import type { PolicyVerdict, RecordedCall } from "./recorded-calls.ts";

/** Calls that would be answered differently in the same way and for the same reason. */
export interface ChangedGroup {
  readonly tool: string;
  readonly from: PolicyVerdict;
  readonly to: PolicyVerdict;
  /** What asks or denies now; for a call that is allowed now, what asked before. */
  readonly rule: string;
  count: number;
  /** Some of these calls. */
  readonly examples: { readonly id: string; readonly arguments: string; readonly user: string | undefined }[];
}

/** How a plan's answers differ from the recorded answers. */
export interface PolicyDiff {
  readonly judged: number;
  readonly changed: number;
  /** The groups of changed calls, the largest first. */
  readonly groups: readonly ChangedGroup[];
  /** Numbers of calls that could not be judged, by the reason. */
  readonly notJudged: Readonly<Record<string, number>>;
}

/** Maximum number of calls that a group shows. */
const maxExamples = 3;

/** Judges each recorded call again, one after the other. The memory that this takes does not grow with the number of calls. */
export async function diffPolicy(
  calls: AsyncIterable<RecordedCall>,
  judge: Pick<Judge, "judge">,
): Promise<PolicyDiff> {
  const groups = new Map<string, ChangedGroup>();
  const notJudged: Record<string, number> = {};
  const counts = { judged: 0, changed: 0 };
  const skip = (why: string) => void (notJudged[why] = (notJudged[why] ?? 0) + 1);
  for await (const call of calls) {
    const { arguments: given } = call;
    if (given === null) {
      skip("the record does not have all of its arguments");
      continue;
    }
    const { answer, rules } = await judge.judge({ ...call, arguments: given });
    if (answer === "none") {
      skip(`${call.tool}: ${rules.join(", ")}`);
      continue;
    }
    counts.judged++;
    if (answer === call.answer) continue;
    counts.changed++;
    const rule = (answer === "allow" ? call.rules : rules).join(", ");
    addTo(groups, { ...call, to: answer, rule });
  }
  const sorted = [...groups.values()].toSorted((one, other) => other.count - one.count);
  return { ...counts, groups: sorted, notJudged };
}

function addTo(
  groups: Map<string, ChangedGroup>,
  call: RecordedCall & { readonly to: PolicyVerdict; readonly rule: string },
): void {
  const { tool, answer: from, to, rule, id, user } = call;
  const key = JSON.stringify([tool, from, to, rule]);
  const group = groups.get(key) ?? { tool, from, to, rule, count: 0, examples: [] };
  groups.set(key, group);
  group.count++;
  const text = JSON.stringify(call.arguments).slice(0, 500);
  const isKnown = group.examples.some((example) => example.arguments === text && example.user === user);
  if (group.examples.length < maxExamples && !isKnown) group.examples.push({ id, arguments: text, user });
}
