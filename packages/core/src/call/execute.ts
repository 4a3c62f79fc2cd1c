import { newCase, type Case } from "../pending/pending-call.ts";
import type { CancellationToken } from "../contract/cancellation.ts";
import { isThenable } from "./gates.ts";
import { LiveContext } from "./tool-context.ts";
import { isRecorded, recordStart } from "./journal.ts";
import { end, goOn } from "./transitions.ts";
import { suspend } from "./approve.ts";
import type { Runner, RunnerControl } from "../contract/ports.ts";
import type { Run } from "./call.ts";
import { takeTurns, useTurns } from "./permits.ts";
import { runFields } from "./log-fields.ts";

/** Hop 5: runs the tool, under one signal, where its runner says. */
export function execute(run: Run): boolean {
  run.phase = "run";
  const { host } = run;
  const tool = run.tool!;
  if (run.answered !== null) return takeAnswer(run, run.answered.value);
  if (tool.info.execution === "client") return handOut(run);
  if (tool.abandoned >= host.limits.abandoned)
    return unavailable(run, `${tool.abandoned} calls of it were given up and still run`);
  const turns = takeTurns(run, execute);
  if (turns !== "taken") return turns === "waits";
  return start(run);
}

/** Somebody else has the result already: a gate, or the client that ran it. */
function takeAnswer(run: Run, value: unknown): false {
  run.executedAt = run.host.time();
  run.returned = value;
  return false;
}

/** The client runs it, and comes back with the ticket. */
function handOut(run: Run): boolean {
  const store = run.host.desk.approvals(run.generation);
  if (store === null)
    return unavailable(run, "it runs at the client, and this host has no store to wait for it");
  const { case: known, token } = run;
  const kept = known === null ? (run.case = newCase(run, store, "handed")).add() : handOver(known);
  run.host.desk.track(kept).then(
    () => goOn(run, token, () => suspend(run, run.case!)),
    (err: unknown) =>
      goOn(run, token, () => {
        run.host.logger.error({ err, ...runFields(run) }, "the store of approvals failed");
        return unavailable(run, "that it waits for the client could not be kept");
      }),
  );
  return true;
}

async function handOver(open: Case): Promise<void> {
  open.dropLease();
  const { desk, clock } = open.host;
  const expiresAt = clock.now() + desk.options.keepMs;
  const handed = await open.change(({ state }) =>
    state === "approved" || state === "claimed" ? { state: "handed", leaseUntil: null, expiresAt } : null,
  );
  if (!handed) throw new Error("its approval was used or taken back meanwhile");
}

/** What has to be on disk before a tool runs is put there. */
function start(run: Run): boolean {
  const recorded = isRecorded(run) ? recordStart(run) : null;
  if (recorded === null) return launch(run);
  const { token } = run;
  run.waited = true;
  void recorded.then((problem) =>
    goOn(run, token, () => (problem === null ? launch(run) : unavailable(run, problem))),
  );
  return true;
}

function launch(run: Run): boolean {
  const { host } = run;
  const tool = run.tool!;
  run.executedAt = run.waited ? host.time() : run.startedAt;
  useTurns(run);
  startDeadline(run);
  run.context = new LiveContext(run);
  run.executing = true;
  if (run.given.cancellation !== undefined) track(run, run.given.cancellation);
  try {
    const returned: unknown =
      tool.runner === null && host.runner === null
        ? tool.definition.execute(run.arguments!, run.context)
        : elsewhere(run, tool.runner ?? "inline");
    return isThenable(returned) ? waitFor(run, returned) : settle(run, returned);
  } catch (thrown) {
    return settleThrown(run, thrown);
  }
}

/** Lists the run at its caller's token; by its run id, should the token list another call of that id. */
function track(run: Run, token: CancellationToken): void {
  run.trackedAs = token.runningTools.has(run.callId) ? run.runId : run.callId;
  token.registerToolStart(run.trackedAs, run.tool!.name);
}

/** A nested call follows its parent's signal, so it needs a timer only for a deadline that comes sooner. */
function startDeadline(run: Run): void {
  const { timeoutMs } = run.tool!;
  const inherited = run.parent?.deadlineAt ?? 0;
  const own = timeoutMs === 0 ? 0 : run.executedAt + timeoutMs;
  run.deadlineAt = own === 0 || (inherited !== 0 && inherited < own) ? inherited : own;
  if (own !== 0 && run.deadlineAt === own) run.host.deadlines(timeoutMs).start(run.timer, run.executedAt);
}

function waitFor(run: Run, returned: PromiseLike<unknown>): true {
  const { token } = run;
  returned.then(
    (value) => (run.token === token ? back(run, value) : late(run)),
    (thrown: unknown) => (run.token === token ? backThrown(run, thrown) : late(run)),
  );
  return true;
}

function back(run: Run, value: unknown): void {
  run.token++;
  run.waiting = false;
  settle(run, value);
  run.host.walk(run);
}

function backThrown(run: Run, thrown: unknown): void {
  run.token++;
  run.waiting = false;
  settleThrown(run, thrown);
  run.host.walk(run);
}

function settle(run: Run, value: unknown): false {
  run.executing = false;
  run.timer.leave();
  run.returned = value;
  return false;
}

function settleThrown(run: Run, thrown: unknown): false {
  settle(run, undefined);
  run.thrown = { value: thrown };
  if (!run.host.isInterrupt(thrown)) return false;
  run.interrupt = { thrown };
  return end(run, "failed", "INTERRUPTED", { tool: run.tool!.name });
}

/** An abandoned tool came back: nobody waits for what it says. */
function late(run: Run): void {
  const { host } = run;
  if (!host.abandoned.delete(run)) return;
  run.tool!.abandoned--;
  host.lateResults++;
  host.logger.warn(runFields(run), "a tool answered after its call was given up");
}

function unavailable(run: Run, reason: string): false {
  return end(run, "failed", "UNAVAILABLE", { tool: run.tool!.name, reason });
}

/** Hands the run to a mounted runner: only JSON goes there, live things stay here as callbacks. */
function elsewhere(run: Run, name: string): unknown {
  const runner = run.host.runner ?? (run.generation.points.get("runners")?.get(name) as Runner | undefined);
  if (runner === undefined) return unavailable(run, `there is no runner "${name}"`);
  const context = run.context!;
  const tool = run.tool!;
  const control: RunnerControl = {
    signal: context.abortSignal,
    progress: (progress) => context.progress(progress),
    call: (request) => context.call(request),
    session: context.session,
    definition: tool.definition,
  };
  const { specifier, config } = tool.module.options;
  return runner.run(
    {
      runId: run.runId,
      tool: tool.declaredName,
      ...(specifier === undefined ? {} : { module: { specifier, config: config ?? {} } }),
      info: run.host.infoOf(run),
      arguments: run.arguments as never,
      timeoutMs: tool.timeoutMs,
    },
    control,
  );
}
