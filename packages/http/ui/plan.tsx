import { useSignal } from "@preact/signals";
import { ask } from "./api.ts";
import { Missing, useLoaded } from "./load.tsx";
import { hostPath, notify, textOf } from "./state.ts";
import { Value } from "./value.tsx";

interface Position {
  readonly file: string;
  readonly line: number;
}

interface Problem {
  readonly code: string;
  readonly message: string;
}

interface Status {
  readonly plan: { readonly file?: string; readonly name?: string };
  readonly generation: number;
  readonly entries: readonly {
    readonly id: string;
    readonly section: string;
    readonly version?: string;
    readonly state: string;
    readonly tools: readonly string[];
    readonly problems: readonly Problem[];
    readonly position?: Position;
  }[];
  readonly lockChanges: readonly Readonly<Record<string, unknown>>[];
  readonly reloadProblems: readonly Problem[];
}

/** The plan: its entries, why each tool is as it is, drift against the lock, and reload. */
export function PlanView() {
  const again = useSignal(0);
  const loaded = useLoaded<Status>("/status", again);
  const why = useSignal<{ readonly tool: string; readonly value: unknown } | null>(null);
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const { plan, generation, entries, lockChanges, reloadProblems } = loaded.value.value;
  const explain = async (tool: string) => {
    try {
      why.value = { tool, value: await ask("POST", `${hostPath.value}/why`, { tool }) };
    } catch (error) {
      notify(textOf(error));
    }
  };
  const reload = async () => {
    try {
      const report = await ask<{ generation: number; mounted: string[] }>("POST", `${hostPath.value}/reload`);
      notify(
        `Reloaded: generation ${report.generation}, mounted ${report.mounted.join(", ") || "nothing new"}.`,
      );
    } catch (error) {
      notify(`The plan is as it was: ${textOf(error)}`);
    }
    again.value += 1;
  };
  return (
    <>
      <p class="facts">
        {plan.name ?? "plan"} · {plan.file ?? "in memory"} · generation {generation}
      </p>
      <button type="button" onClick={() => void reload()}>
        Reload
      </button>
      <Problems problems={reloadProblems} />
      <ul class="entries">
        {entries.map(({ id, section, version, state, tools, problems, position }) => (
          <li key={`${section} ${id}`} class="card">
            <h2>
              {id} <span class={`status ${state}`}>{state}</span>
            </h2>
            <p class="facts">
              {section}
              {version !== undefined && ` · ${version}`}
              {position !== undefined && ` · ${position.file}:${position.line}`}
            </p>
            <Problems problems={problems} />
            <p class="tools">
              {tools.map((tool) => (
                <button type="button" aria-label={`Why ${tool}?`} onClick={() => void explain(tool)}>
                  {tool}
                </button>
              ))}
            </p>
          </li>
        ))}
      </ul>
      {why.value !== null && <Why tool={why.value.tool} value={why.value.value as Explanation} />}
      <h2>Drift against the lock</h2>
      {lockChanges.length === 0 ? <p>No tool differs from the lock file.</p> : <Value value={lockChanges} />}
    </>
  );
}

function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <>
      {problems.map(({ code, message }) => (
        <p class="problem">
          {code}: {message}
        </p>
      ))}
    </>
  );
}

interface Explanation {
  readonly tools: readonly {
    readonly origins: readonly {
      readonly what: string;
      readonly value: unknown;
      readonly position?: Position;
    }[];
    readonly answers: readonly {
      readonly policy: string;
      readonly answer: { readonly answer: string; readonly reason?: string; readonly rule?: string };
    }[];
  }[];
}

function Why({ tool, value }: { readonly tool: string; readonly value: Explanation }) {
  return (
    <section class="card" aria-label={`Why ${tool}`}>
      <h2>Why {tool} is as it is</h2>
      <ul>
        {value.tools.flatMap(({ origins }) =>
          origins.map(({ what, value: set, position }) => (
            <li>
              {what}: {typeof set === "string" ? set : JSON.stringify(set)}
              {position !== undefined && (
                <code>
                  {" "}
                  {position.file}:{position.line}
                </code>
              )}
            </li>
          )),
        )}
        {value.tools.flatMap(({ answers }) =>
          answers.map(({ policy, answer }) => (
            <li>
              decides: {answer.answer} <code>{answer.rule ?? policy}</code> {answer.reason}
            </li>
          )),
        )}
      </ul>
    </section>
  );
}
