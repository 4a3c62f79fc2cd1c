import { truncateResult } from "../result/truncate.ts";
import { normalizeResult, ContractBreach, isContractBreach, isHostCode } from "../result/normalize.ts";
import { errorMessage, messageOf } from "../contract/errors.ts";
import { NotJson } from "../json/freeze.ts";
import { end, goOn } from "./transitions.ts";
import { KeptOutputsError } from "../result/kept-outputs.ts";
import type { ParseResult } from "../contract/ports.ts";
import type { ToolResult } from "../contract/result.ts";
import type { Run } from "./call.ts";
import { issueSentence } from "../schema/schema.ts";
import { toolFailure, typeName } from "../result/tool-failure.ts";
import { runFields } from "./log-fields.ts";

/** Hop 6: makes a result of what came back, checks it against the contract, and bounds its size. */
export function shape(run: Run): boolean {
  if (run.thrown === null) run.phase = "shape";
  const result = run.thrown === null ? fromReturned(run) : fromThrown(run, run.thrown.value);
  if (result === null) return false;
  run.result = result;
  run.status = result.error === undefined ? "ok" : "failed";
  const { checkOutput } = run.tool!;
  if (checkOutput === null || result.error !== undefined || run.host.outputCheck === "off")
    return settleStopped(run);
  return checkData(run, checkOutput, result.data);
}

function fromReturned(run: Run): ToolResult | null {
  return attempt(run, () => {
    const tool = run.tool!;
    const result = normalizeResult(
      tool.declaredName,
      tool.name,
      run.host.stamp(run.executedAt),
      run.returned,
    );
    if (isHostCode(result.code)) throw new ContractBreach(`the code ${result.code} is the host's own`);
    return bound(run, result);
  });
}

function fromThrown(run: Run, thrown: unknown): ToolResult | null {
  const tool = run.tool!;
  const { failures } = tool.definition;
  run.failureType = typeName(thrown);
  run.host.logger.error(
    { err: thrown, ...runFields(run) },
    `[${failures?.className ?? tool.declaredName}_ExecuteAsync__Exception] ${messageOf(thrown)}`,
  );
  return attempt(run, () => {
    if (isContractBreach(thrown)) throw thrown;
    const answer = failures?.describe(thrown) ?? toolFailure(tool.declaredName, thrown);
    if (answer.code !== "TOOL_FAILED" && isHostCode(answer.code))
      throw new ContractBreach(`the code ${answer.code} is the host's own`);
    return bound(run, normalizeResult(tool.declaredName, tool.name, run.host.stamp(run.executedAt), answer));
  });
}

function bound(run: Run, result: ToolResult): ToolResult {
  const { host } = run;
  const bounded = truncateResult(
    withoutSecrets(run, result),
    run.tool!.limits.outputBytes ?? host.limits.outputBytes,
    host.outputs,
  );
  return run.warnings === null
    ? bounded
    : { ...bounded, warnings: [...(bounded.warnings ?? []), ...run.warnings] };
}

/** What the host knows to be secret is in no sentence that a model reads, whoever wrote it. */
function withoutSecrets({ host }: Run, result: ToolResult): ToolResult {
  return result.error === undefined ? result : { ...result, error: host.redact(result.error) as string };
}

/** The result, or the run ended with the broken rule; getters and proxies may throw anything. */
function attempt(run: Run, make: () => ToolResult): ToolResult | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof KeptOutputsError) throw error;
    const rule = isContractBreach(error)
      ? error.message
      : error instanceof NotJson
        ? `its answer ${error.message}`
        : `its answer could not be read: ${typeName(error)}`;
    run.host.logger.error({ err: error, ...runFields(run) }, "a tool broke the contract");
    end(run, "failed", "CONTRACT_VIOLATION", { tool: run.tool!.name, rule });
    return null;
  }
}

function checkData(
  run: Run,
  check: (value: unknown) => ParseResult | Promise<ParseResult>,
  data: unknown,
): boolean {
  const checked = check(data);
  if (!(checked instanceof Promise)) return judgeData(run, checked);
  const { token } = run;
  checked.then(
    (result) => goOn(run, token, () => judgeData(run, result)),
    (error: unknown) =>
      goOn(run, token, () =>
        judgeData(run, { ok: false, issues: [{ path: [], message: messageOf(error) }] }),
      ),
  );
  return true;
}

function judgeData(run: Run, checked: ParseResult): boolean {
  if (checked.ok) return settleStopped(run);
  const problem = checked.issues.slice(0, 5).map(issueSentence).join("; ").slice(0, 1000);
  if (run.host.outputCheck === "strict")
    return end(run, "failed", "OUTPUT_INVALID", { tool: run.tool!.name, problem });
  const warning = errorMessage("OUTPUT_INVALID", { tool: run.tool!.name, problem });
  run.result = { ...run.result!, warnings: [...(run.result!.warnings ?? []), warning] };
  return settleStopped(run);
}

/** What came within the grace after a stop: a success of a cancelled call stays one; a deadline that passed has passed. */
function settleStopped(run: Run): boolean {
  const result = run.result!;
  if (run.stopReason === null) return false;
  if (run.stopReason === "deadline") {
    const { timeoutMs, name } = run.tool!;
    const late = result.error === undefined ? { data: result.data } : { error: result.error };
    return end(run, "timed_out", "TIMED_OUT", { tool: name, timeoutMs }, { details: { late } });
  }
  if (result.error !== undefined)
    return end(
      run,
      "cancelled",
      "CANCELLED",
      {},
      { details: { ...(run.stopReason === "cancel" ? { cancelled: true } : {}), error: result.error } },
    );
  run.cancelled = { reason: run.stopMessage, elapsedMs: Math.max(0, run.stoppedAt - run.executedAt) };
  return false;
}
