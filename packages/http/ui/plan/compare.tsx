import { useSignal } from "@preact/signals";
import { ask } from "../api.ts";
import { linkTo } from "../route.ts";
import { hostPath, textOf } from "../state.ts";
import { countText } from "../value.tsx";

interface Group {
  readonly tool: string;
  readonly from: string;
  readonly to: string;
  readonly rule: string;
  readonly count: number;
  readonly examples: readonly { readonly id: string; readonly arguments: string; readonly user?: string }[];
}

interface Comparison {
  readonly judged: number;
  readonly changed: number;
  readonly groups: readonly Group[];
  readonly notJudged: Readonly<Record<string, number>>;
}

/** How many calls a person may choose, the newest. */
const counts = [100, 1_000, 10_000, 100_000];

/** An edited policy beside the calls of the audit: which would have been answered otherwise, and by which rule. No tool runs. */
export function Compare({ policy }: { readonly policy: string }) {
  const text = useSignal(policy);
  const last = useSignal(1_000);
  const busy = useSignal(false);
  const result = useSignal<Comparison | string | null>(null);
  const compare = async () => {
    busy.value = true;
    const body = { policy: text.value, last: last.value };
    result.value = await ask<Comparison>("POST", `${hostPath.value}/plan/compare`, body).catch(textOf);
    busy.value = false;
  };
  return (
    <details>
      <summary>What would another policy have answered?</summary>
      <form
        class="compare"
        onSubmit={(event) => {
          event.preventDefault();
          void compare();
        }}
      >
        <label>
          <span>The section policy of the plan</span>
          <textarea
            rows={12}
            spellcheck={false}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        <p>
          <label>
            <span class="quiet">Calls to compare with</span>
            <select
              value={String(last.value)}
              onChange={(event) => (last.value = Number(event.currentTarget.value))}
            >
              {counts.map((count) => (
                <option value={String(count)}>the newest {count.toLocaleString("en")}</option>
              ))}
            </select>
          </label>{" "}
          <button type="submit" disabled={busy}>
            {busy.value ? "Comparing…" : "Compare"}
          </button>{" "}
          <small>
            No tool runs, and the plan stays as it is. Each call is judged alone: flows and budgets are left
            out.
          </small>
        </p>
      </form>
      <div role="status">
        {typeof result.value === "string" && <p class="problem">{result.value}</p>}
        {result.value !== null && typeof result.value !== "string" && <Result found={result.value} />}
      </div>
    </details>
  );
}

function Result({ found: { judged, changed, groups, notJudged } }: { readonly found: Comparison }) {
  return (
    <>
      <p class="facts">
        {countText(judged, "call")} judged, {changed} would be answered otherwise.
        {Object.entries(notJudged).map(([why, count]) => (
          <>
            {" "}
            Not judged, {countText(count, "call")}: {why}.
          </>
        ))}
      </p>
      {groups.map((group) => (
        <GroupOf key={`${group.tool} ${group.from} ${group.to} ${group.rule}`} group={group} />
      ))}
    </>
  );
}

const kinds: Readonly<Record<string, string>> = { allow: "good", ask: "warn", deny: "bad" };

function GroupOf({ group: { tool, from, to, rule, count, examples } }: { readonly group: Group }) {
  return (
    <section class="box" aria-label={`${tool}: ${from} becomes ${to}`}>
      <h3>
        <span>
          {tool} <span class={`chip ${kinds[from] ?? ""}`}>{from}</span> →{" "}
          <span class={`chip ${kinds[to] ?? ""}`}>{to}</span>
        </span>
        <span class="quiet">{countText(count, "call")}</span>
      </h3>
      {rule !== "" && (
        <p class="in">
          {to === "allow" ? "Until now: " : "Now: "}
          {rule}
        </p>
      )}
      <ul class="in">
        {examples.map(({ id, arguments: given, user }) => (
          <li>
            <a href={linkTo("calls", id)}>
              <code>{given}</code>
            </a>
            {user !== undefined && ` ${user}`}
          </li>
        ))}
      </ul>
    </section>
  );
}
