import type { ErrorCode, EventData, Host, Json, Runner, ToolResult, ToolReturn, Undo } from "@toolmount/core";
import { errorMessage, hostCodes, RunnerFailure } from "@toolmount/core/errors";
import { canonicalJson, isRecord } from "@toolmount/core/json";
import { createRedactor, redactArguments, type Redactor } from "@toolmount/core/text";
import { digestsOf, observe, withoutOrigin } from "./record.ts";
import type { Tape, TapeCall, TapeResult } from "./tape.ts";

/** Answers calls from a tape instead of running the tools. */
export interface Replay {
  /** The runner for `createHost({ runner })`. It answers calls from the tape and runs no tool. */
  readonly runner: Runner;
  /**
   * Compares the calls of a host with the tape. Returns a function that ends this. Without it the runner still answers calls, but
   * calls that end before their tool would run, such as denied ones, are not compared.
   */
  watch(host: Pick<Host, "coordinator" | "tools">): Undo;
  /** The differences from the tape until now, each as a sentence. */
  readonly problems: readonly string[];
  /** Returns all differences, including those for recorded calls that were not made. Call it when the work is done. */
  finish(): readonly string[];
}

/** The recorded call that belongs to a call, or how the call differs from the tape. */
type Match = { readonly call: TapeCall } | { readonly problem: string };

/** A match with the number of the call in the replay, by which a difference names it. */
type NumberedMatch = Match & { readonly number: number };

/**
 * Creates a replay of a tape. Calls are matched by tool and arguments, in the order in which they began. Policy, approvals and
 * limits of the host still apply, so a changed rule shows as a difference.
 */
export function createReplay(tape: Tape, redact: Redactor = createRedactor()): Replay {
  return new TapeReplay(tape, redact);
}

class TapeReplay implements Replay {
  readonly problems: string[] = [];
  readonly runner: Runner = {
    run: async ({ info, arguments: given }) =>
      this.#answer({ run_id: info.runId, tool_name: info.tool, tool_input: given }),
  };
  readonly #open: TapeCall[];
  readonly #matches = new Map<string, NumberedMatch>();
  readonly #redact: Redactor;
  #count = 0;
  #digestOf: ((tool: string) => string | null) | null = null;

  constructor({ calls }: Tape, redact: Redactor) {
    // Calls that a tool made are left out, because no tool runs in a replay.
    this.#open = calls.filter(({ nested }) => nested === undefined);
    this.#redact = redact;
  }

  watch(host: Pick<Host, "coordinator" | "tools">): Undo {
    this.#digestOf = digestsOf(host);
    return observe(
      host,
      (_runId, _decision, data) => void this.#match(data),
      (data) => this.#compare(data),
    );
  }

  finish(): readonly string[] {
    const left = this.#open.map((call) => `call ${call.order} of the tape was not made: ${printCall(call)}`);
    return [...this.problems, ...left];
  }

  #answer(data: EventData): ToolReturn {
    const match = this.#mustHaveRun(String(data["run_id"]), this.#match(data));
    if ("problem" in match) throw mismatch(match.problem);
    return answerOf(match.call);
  }

  /** Returns the match of a call whose tool would run now. It is a difference if the tool did not run in the recording. */
  #mustHaveRun(runId: string, match: NumberedMatch): NumberedMatch {
    if ("problem" in match || match.call.ran) return match;
    const { number } = match;
    const { tool, result } = match.call;
    const reason = result.error ?? "its tool did not run";
    const changed = { number, problem: `${tool}: it would run now; it ended before that: ${reason}` };
    this.#matches.set(runId, changed);
    this.problems.push(`call ${number}: ${changed.problem}`);
    return changed;
  }

  /** Returns the recorded call that belongs to a call. It is searched once for each call, and a difference is reported. */
  #match(data: EventData): NumberedMatch {
    const runId = String(data["run_id"]);
    const known = this.#matches.get(runId);
    if (known !== undefined) return known;
    const number = (this.#count += 1);
    const tool = this.#redact(String(data["tool_name"])) as string;
    const found = this.#find(tool, redactArguments(data["tool_input"] as Json, this.#redact));
    const match = { ...found, number };
    this.#matches.set(runId, match);
    if ("problem" in match) this.problems.push(`call ${number}: ${match.problem}`);
    return match;
  }

  #find(tool: string, given: Json): Match {
    const made = { tool, arguments: given };
    const [expected] = this.#open;
    if (expected === undefined) return { problem: `${printCall(made)} is not on the tape, which has ended` };
    const key = canonicalJson(given);
    const at = this.#open.findIndex((call) => call.tool === tool && canonicalJson(call.arguments) === key);
    if (at === 0) return this.#take(0);
    if (at !== -1) {
      this.#take(at);
      return { problem: `${printCall(made)} came out of order: the tape has ${printCall(expected)} here` };
    }
    if (expected.tool !== tool)
      return { problem: `${printCall(made)} is not on the tape: it has ${printCall(expected)} here` };
    this.#take(0);
    return { problem: `${tool}: ${argumentDifferences(expected.arguments, given)}` };
  }

  #take(at: number): Match {
    const [call] = this.#open.splice(at, 1);
    const digest = this.#digestOf?.(call!.tool) ?? call!.definition;
    if (digest === call!.definition) return { call: call! };
    return { problem: `the definition of ${call!.tool} is not the one that was recorded` };
  }

  #compare(data: EventData): void {
    const match = this.#match(data);
    this.#matches.delete(String(data["run_id"]));
    if ("problem" in match) return;
    const { tool, result } = match.call;
    const given = this.#redact(withoutOrigin(data["tool_result"] as ToolResult) as unknown as Json);
    const difference = resultDifference(result, given as unknown as TapeResult);
    if (difference !== undefined) this.problems.push(`call ${match.number}: ${tool}: ${difference}`);
  }
}

function mismatch(problem: string): RunnerFailure {
  return new RunnerFailure("REPLAY_MISMATCH", errorMessage("REPLAY_MISMATCH", { problem }));
}

/** By the code of the error, the status of a call that the host ended and not its tool. */
const statuses: Readonly<Record<string, RunnerFailure["status"]>> = {
  TIMED_OUT: "timed_out",
  CANCELLED: "cancelled",
  OUTCOME_UNKNOWN: "unknown",
};

function answerOf({ result }: TapeCall): ToolReturn {
  if (result.code === undefined || !hostCodes.has(result.code)) return result;
  throw new RunnerFailure(result.code as ErrorCode, result.error, {
    status: statuses[result.code],
    details: result.details as Readonly<Record<string, unknown>> | undefined,
  });
}

function printCall({ tool, arguments: given }: Pick<TapeCall, "tool" | "arguments">): string {
  return `${tool} ${short(given)}`;
}

function argumentDifferences(recorded: Json, given: Json): string {
  if (!isRecord(recorded) || !isRecord(given))
    return `arguments are ${short(given)}, were ${short(recorded)}`;
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(given)])].toSorted();
  const differing = names.filter((name) => !same(recorded[name], given[name]));
  return differing.map((name) => `${name} is ${short(given[name])}, was ${short(recorded[name])}`).join("; ");
}

function resultDifference(recorded: TapeResult, given: TapeResult): string | undefined {
  const [was, is] = [outcomeOf(recorded), outcomeOf(given)];
  if (was !== is) return `it ended as ${is}, was ${was}`;
  if (!same(recorded.data, given.data)) return `data is ${short(given.data)}, was ${short(recorded.data)}`;
  return undefined;
}

function outcomeOf(result: TapeResult): string {
  if ("data" in result) return "ok";
  return result.code === undefined ? `a failure (${result.error})` : result.code;
}

function same(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

function short(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length <= 160 ? text : `${text.slice(0, 159).toWellFormed()}…`;
}
