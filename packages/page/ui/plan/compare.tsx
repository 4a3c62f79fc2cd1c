import { useSignal } from "@preact/signals";
import { ask } from "../api.ts";
import { linkTo } from "../route.ts";
import type { Comparison, Suggestion } from "../shapes.ts";
import { hostPath, textOf } from "../state.ts";
import { countText } from "../value.tsx";

type Group = Comparison["groups"][number];

/** How many of the latest calls a person can choose to compare. */
const counts = [100, 1_000, 10_000, 100_000];

/** Compares an edited policy with the calls of the audit: which would get another answer, and from which rule. No tool runs. */
export function Compare({ policy }: { readonly policy: string }) {
  const text = useSignal(policy);
  const last = useSignal(1_000);
  const busy = useSignal(false);
  const result = useSignal<Comparison | Suggestion | string | null>(null);
  const compare = async () => {
    busy.value = true;
    const body = { policy: text.value, last: last.value };
    result.value = await ask<Comparison>("POST", `${hostPath.value}/plan/compare`, body).catch(textOf);
    busy.value = false;
  };
  const suggest = async () => {
    busy.value = true;
    const body = { last: last.value };
    const found = await ask<Suggestion>("POST", `${hostPath.value}/plan/suggest`, body).catch(textOf);
    if (typeof found !== "string" && found.lines.length > 0) text.value = found.policy;
    result.value = found;
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
          <button type="button" disabled={busy} onClick={() => void suggest()}>
            Suggest lines from answers
          </button>{" "}
          <small>
            No tool runs, and the plan stays as it is. Each call is judged alone: flows and budgets are left
            out.
          </small>
        </p>
      </form>
      <div role="status">
        {typeof result.value === "string" && <p class="problem">{result.value}</p>}
        {result.value !== null && typeof result.value !== "string" && <Found found={result.value} />}
      </div>
    </details>
  );
}

function Found({ found }: { readonly found: Comparison | Suggestion }) {
  return "lines" in found ? <Suggested found={found} /> : <Result found={found} />;
}

/** Shows the lines of the policy that follow from earlier answers of people. The text field already contains them. */
function Suggested({ found: { lines, answered, spared, remaining } }: { readonly found: Suggestion }) {
  return (
    <>
      <p class="facts">
        {countText(answered, "answered call")}, {countText(spared, "question")} spared.{" "}
        {lines.length === 0
          ? "No line is suggested."
          : "The policy above has these lines now, and the plan stays as it is: compare, then write them into its file."}
      </p>
      {lines.map(({ list, line, calls, examples }) => (
        <section class="box" key={`${list} ${line}`} aria-label={`${list} ${line}`}>
          <h3>
            <span>
              <span class={`chip ${kinds[list] ?? ""}`}>{list}</span> <code>{line}</code>
            </span>
            <span class="quiet">{countText(calls, "call")}</span>
          </h3>
          <Examples examples={examples} />
        </section>
      ))}
      {Object.entries(remaining).map(([why, count]) => (
        <p class="facts">
          Not covered, {countText(count, "call")}: {why}.
        </p>
      ))}
    </>
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
      <Examples examples={examples} />
    </section>
  );
}

function Examples({ examples }: { readonly examples: Group["examples"] }) {
  return (
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
  );
}
