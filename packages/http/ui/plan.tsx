import { useSignal, type Signal } from "@preact/signals";
import { ask } from "./api.ts";
import { Difference } from "./difference.tsx";
import { Missing, useLoaded } from "./load.tsx";
import { Problems } from "./problems.tsx";
import { go, route } from "./route.ts";
import type { Position, Problem } from "./shapes.ts";
import { placeText, planFile } from "./place.ts";
import { hostPath, me, textOf } from "./state.ts";
import { Value } from "./value.tsx";
import { Why } from "./why.tsx";

interface Entry {
  readonly id: string;
  readonly section: string;
  readonly specifier: string;
  readonly version?: string;
  readonly state: string;
  readonly tools: readonly string[];
  readonly problems: readonly Problem[];
  readonly position?: Position;
}

interface LockChange {
  readonly tool: string;
  readonly change: string;
  readonly differences: readonly {
    readonly path: string;
    readonly before?: unknown;
    readonly now?: unknown;
  }[];
}

interface Status {
  readonly plan: { readonly file?: string; readonly name?: string };
  readonly generation: number;
  readonly entries: readonly Entry[];
  readonly lockChanges: readonly LockChange[];
  readonly reloadProblems: readonly Problem[];
}

/** The plan: its entries, why each tool is as it is, drift against the lock, and reload. */
export function PlanView() {
  const again = useSignal(0);
  const loaded = useLoaded<Status>("/status", again);
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  planFile.value = loaded.value.value.plan.file ?? "";
  const { plan, generation, entries, lockChanges, reloadProblems } = loaded.value.value;
  return (
    <>
      <p class="facts">
        {plan.name ?? "plan"} · {plan.file ?? "in memory"} · generation {generation}
      </p>
      <Reload again={again} />
      <Problems problems={reloadProblems} />
      <ul class="entries">
        {entries.map((entry) => (
          <EntryCard key={`${entry.section} ${entry.id}`} entry={entry} />
        ))}
      </ul>
      <h2>Drift against the lock</h2>
      <Drift changes={lockChanges} />
      <Effective again={again} />
    </>
  );
}

function EntryCard({ entry }: { readonly entry: Entry }) {
  const { id, section, specifier, version, state, tools, problems, position } = entry;
  const { open } = route.value;
  return (
    <li class="card">
      <h2>
        {id} <span class={`status ${state}`}>{state}</span>
      </h2>
      <p class="facts">
        {section}
        {specifier !== id && ` · ${specifier}`}
        {version !== undefined && ` · ${version}`}
        {position !== undefined && ` · ${placeText(position)}`}
      </p>
      <Problems problems={problems} />
      {tools.length > 0 && (
        <p class="tools">
          {tools.map((tool) => (
            <button
              type="button"
              aria-label={`Why ${tool}?`}
              aria-expanded={tool === open}
              onClick={() => (tool === open ? go("plan") : go("plan", tool))}
            >
              {tool}
            </button>
          ))}
        </p>
      )}
      {open !== null && tools.includes(open) && <Why key={open} tool={open} />}
    </li>
  );
}

interface Report {
  readonly generation: number;
  readonly mounted: readonly string[];
  readonly kept: readonly string[];
  readonly removed: readonly string[];
  readonly failed: readonly string[];
}

/** Reloads the plan, and shows what that did. A plan with problems changes nothing. */
function Reload({ again }: { readonly again: Signal<number> }) {
  const result = useSignal<Report | string | null>(null);
  const busy = useSignal(false);
  if (me.value?.roles.includes("admin") !== true) return null;
  const reload = async () => {
    busy.value = true;
    try {
      result.value = await ask<Report>("POST", `${hostPath.value}/reload`);
    } catch (error) {
      result.value = `The plan is as it was: ${textOf(error)}`;
    }
    busy.value = false;
    again.value += 1;
  };
  return (
    <div class="actions">
      <button type="button" disabled={busy} onClick={() => void reload()}>
        Reload
      </button>
      <div role="status">
        {typeof result.value === "string" && <p class="problem">{result.value}</p>}
        {result.value !== null && typeof result.value !== "string" && <ReloadFacts report={result.value} />}
      </div>
    </div>
  );
}

function ReloadFacts({ report }: { readonly report: Report }) {
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

/** Each value that differs, before and now. Calls of these tools are denied until the lock is accepted. */
function Drift({ changes }: { readonly changes: readonly LockChange[] }) {
  if (changes.length === 0) return <p>No tool differs from the lock file.</p>;
  return (
    <>
      <p class="problem">
        Calls of changed and added tools are denied. Review the changes, then run: toolmount lock --accept
      </p>
      {changes.map(({ tool, change, differences }) => (
        <section class="card" aria-label={`Drift of ${tool}`}>
          <h3>
            {tool} <span class="status waiting">{change}</span>
          </h3>
          {differences.map(({ path, before, now }) => (
            <>
              <p>
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

/** The plan with all its layers merged. */
function Effective({ again }: { readonly again: Signal<number> }) {
  const loaded = useLoaded<{ files: readonly string[]; value: unknown }>("/plan", again);
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const { files, value } = loaded.value.value;
  return (
    <details>
      <summary>The whole plan, with its layers merged</summary>
      <p class="facts">{files.join(" · ")}</p>
      <Value value={value} label="Plan" />
    </details>
  );
}
