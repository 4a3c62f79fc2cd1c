import { useSignal, type Signal } from "@preact/signals";
import { ask } from "../api.ts";
import { StatusChip } from "../calls/status.tsx";
import { Icon } from "../icons.tsx";
import { Missing, useLoaded } from "../load.tsx";
import { Difference } from "../parts/difference.tsx";
import { Empty, Top } from "../parts/frame.tsx";
import { linkTo } from "../route.ts";
import type { LockChange, Reload as ReloadReport, Status } from "../shapes.ts";
import { hostPath, me, served, textOf } from "../state.ts";
import { Value } from "../value.tsx";
import { Compare } from "./compare.tsx";
import { planFile } from "./place.ts";
import { Problems } from "./problems.tsx";
import { ToolTable } from "./tools.tsx";

/**
 * Shows the plan: every tool with what happens to its calls, the differences from the lock file, the reasons, and a button that
 * reloads the plan.
 */
export function PlanView() {
  const again = useSignal(0);
  if (served.value?.plan === false)
    return (
      <>
        <Top title="Plan" />
        <Empty icon="plan" title="This host has no plan">
          <p>
            A program made it. Its tools are under <a href={linkTo("try")}>Try a tool</a>.
          </p>
        </Empty>
      </>
    );
  return <Plan again={again} />;
}

function Plan({ again }: { readonly again: Signal<number> }) {
  const loaded = useLoaded<Status>("/status", again);
  const status = loaded.value !== null && "value" in loaded.value ? loaded.value.value : null;
  planFile.value = status?.plan.file ?? "";
  return (
    <>
      <Top title="Plan" about={status === null ? "" : aboutText(status)}>
        <Reload again={again} />
      </Top>
      <div class="body">
        {status === null ? <Missing loaded={loaded.value} /> : <Shown status={status} again={again} />}
      </div>
    </>
  );
}

function aboutText({ plan, generation }: Status): string {
  return [plan.name, plan.file ?? "in memory", `generation ${generation}`].filter(Boolean).join(" · ");
}

interface ShownProps {
  readonly status: Status;
  readonly again: Signal<number>;
}

function Shown({ status: { entries, lockChanges, reloadProblems, replicas, digest }, again }: ShownProps) {
  return (
    <>
      <Problems problems={reloadProblems} />
      {replicas.length > 1 && <Replicas replicas={replicas} digest={digest} />}
      <ToolTable entries={entries} changes={lockChanges} />
      <Drift changes={lockChanges} />
      <Effective again={again} />
    </>
  );
}

/** Shows the servers that share the plan, and which version of the plan each has. */
function Replicas({ replicas, digest }: Pick<Status, "replicas" | "digest">) {
  return (
    <section class="box" aria-label="Servers of this plan">
      <table class="table">
        <thead>
          <tr>
            {["server", "state", "version", "plan"].map((title) => (
              <th scope="col">{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {replicas.map(({ id, url, machine, state, version, plan, problem }) => (
            <tr key={id}>
              <td>
                {url} {machine}
              </td>
              <td>{state}</td>
              <td>{version}</td>
              <td class={plan === digest ? "" : "problem"}>
                {plan === digest ? plan : `${plan}, another one`}
                {problem !== null && <p class="problem">{problem}</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Offers to reload the plan, and shows the result. A plan with problems does not replace the current one. */
function Reload({ again }: { readonly again: Signal<number> }) {
  const result = useSignal<ReloadReport | string | null>(null);
  const busy = useSignal(false);
  if (me.value?.roles.includes("admin") !== true) return null;
  const reload = async () => {
    busy.value = true;
    try {
      result.value = await ask<ReloadReport>("POST", `${hostPath.value}/reload`);
    } catch (error) {
      result.value = `The plan is as it was: ${textOf(error)}`;
    }
    busy.value = false;
    again.value += 1;
  };
  return (
    <div class="end">
      <div role="status" class="facts">
        {typeof result.value === "string" && <p class="problem">{result.value}</p>}
        {result.value !== null && typeof result.value !== "string" && <ReloadFacts report={result.value} />}
      </div>
      <button type="button" disabled={busy} onClick={() => void reload()}>
        <Icon name="reload" />
        Reload
      </button>
    </div>
  );
}

function ReloadFacts({ report }: { readonly report: ReloadReport }) {
  const { generation, mounted, kept, removed, failed } = report;
  const parts = { mounted, kept, removed, failed };
  const texts = Object.entries(parts).flatMap(([what, ids]) =>
    ids.length === 0 ? [] : [`${what}: ${ids.join(", ")}`],
  );
  return (
    <p>
      Generation {generation}. {texts.join(" · ")}
    </p>
  );
}

/** Shows each difference from the lock file, with the value before and now. */
function Drift({ changes }: { readonly changes: readonly LockChange[] }) {
  if (changes.length === 0) return <p class="facts">No tool differs from the lock file.</p>;
  return (
    <>
      <p class="problem">
        Calls of changed and added tools are denied. Review the changes, then run: toolmount lock --accept
      </p>
      {changes.map(({ tool, change, differences }) => (
        <section class="box" aria-label={`Drift of ${tool}`}>
          <h2 class="head">
            <span>{tool}</span>
            <StatusChip status={change} />
          </h2>
          {differences.map(({ path, before, now }) => (
            <>
              <p class="in">
                <code>{path}</code>
              </p>
              <Difference before={textOfValue(before)} after={textOfValue(now)} />
            </>
          ))}
        </section>
      ))}
    </>
  );
}

function textOfValue(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Shows the complete plan with its included parts merged and, to an admin, the comparison of policies. */
function Effective({ again }: { readonly again: Signal<number> }) {
  const loaded = useLoaded<{ files: readonly string[]; value: unknown; policy?: string }>("/plan", again);
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const { files, value, policy } = loaded.value.value;
  const mayCompare = policy !== undefined && me.value?.roles.includes("admin") === true;
  return (
    <>
      {mayCompare && <Compare key={policy} policy={policy} />}
      <details>
        <summary>The whole plan, with its parts merged</summary>
        <p class="facts">{files.join(" · ")}</p>
        <Value value={value} label="Plan" />
      </details>
    </>
  );
}
