import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../api.ts";
import type { Approval } from "../shapes.ts";
import { hostPath } from "../state.ts";
import { countText } from "../value.tsx";
import type { Decision } from "./decision.ts";

interface ScopesProps {
  readonly approval: Approval;
  readonly busy: Signal<boolean>;
  readonly decide: (event: Event, decision: Decision) => Promise<void>;
}

/** Offers approvals that also answer later calls, each with the rule for these calls. */
export function Scopes(props: ScopesProps) {
  const { tool, info } = props.approval;
  const who = info.userId === undefined ? "" : `, for ${info.userId}`;
  const forMs = useSignal(0);
  const until = forMs.value === 0 ? {} : { forMs: forMs.value };
  return (
    <ul class="scopes" aria-label="Approve also later calls">
      <li>
        <label>
          <span>It ends</span>
          <select
            value={String(forMs.value)}
            onChange={(event) => (forMs.value = Number(event.currentTarget.value))}
          >
            {ends.map(([name, ms]) => (
              <option value={String(ms)}>{name}</option>
            ))}
          </select>
        </label>
      </li>
      {info.sessionId !== undefined && (
        <Scope
          {...props}
          name="For this session"
          rule={`${tool} with exactly these arguments, in session ${info.sessionId}${who}`}
          remember={{ scope: "session", ...until }}
        />
      )}
      <Scope
        {...props}
        name="Always, with these arguments"
        rule={`${tool} with exactly these arguments, in every session${who}`}
        remember={{ scope: "arguments", ...until }}
      />
      <Rule {...props} who={who} until={until} />
      <li>
        <small>
          Each also ends when you revoke it under "Approved from now on", or when the tool changes. Rules of
          the plan are asked first: what they deny stays denied.
        </small>
      </li>
    </ul>
  );
}

const hour = 3_600_000;

/** When an approval for later calls expires, in milliseconds from now; 0 for never. */
const ends: readonly (readonly [name: string, ms: number])[] = [
  ["when it is revoked", 0],
  ["in an hour", hour],
  ["in 8 hours", 8 * hour],
  ["in a week", 7 * 24 * hour],
  ["in 30 days", 30 * 24 * hour],
];

interface ScopeProps extends ScopesProps {
  readonly name: string;
  readonly rule: string;
  readonly remember: object;
}

function Scope({ approval, busy, decide, name, rule, remember }: ScopeProps) {
  return (
    <li>
      <span>
        {rule} <Matches id={approval.id} remember={remember} />
      </span>
      <button
        type="button"
        disabled={busy}
        onClick={(event) => void decide(event, { decision: "approve", remember })}
      >
        {name}
      </button>
    </li>
  );
}

/** Shows how many of the latest calls the rule would have answered, including the question's own call. */
function Matches({ id, remember }: { readonly id: string; readonly remember: object }) {
  const found = useSignal<{ readonly compared: number; readonly matched: number } | null>(null);
  const asked = JSON.stringify(remember);
  useEffect(() => {
    let isOver = false;
    const path = `${hostPath.value}/approvals/${id}/matches`;
    void ask<{ compared: number; matched: number }>("POST", path, {
      remember: JSON.parse(asked) as object,
    }).then(
      (value) => {
        if (!isOver) found.value = value;
      },
      // A rule can be made without this number, so an error is not shown.
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [asked]);
  if (found.value === null) return null;
  return (
    <small>
      It would have answered {found.value.matched} of the last {countText(found.value.compared, "call")}.
    </small>
  );
}

/** Escapes the characters `\`, `*` and `?`, which have a meaning in a pattern. */
function escapeGlob(text: string): string {
  return text.replaceAll(/[\\*?]/g, String.raw`\$&`);
}

/** Offers a rule with a pattern for each text argument of one line. An argument without a pattern may have any value. */
function Rule({
  approval: { id, tool, arguments: given },
  busy,
  decide,
  who,
  until,
}: ScopesProps & { readonly who: string; readonly until: { readonly forMs?: number } }) {
  const texts = Object.entries(given).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && !entry[1].includes("\n"),
  );
  const patterns = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(texts.map(([name, value]) => [name, escapeGlob(value)])),
  );
  const pattern = Object.fromEntries(Object.entries(patterns.value).filter(([, text]) => /[^*]/.test(text)));
  if (texts.length === 0) return null;
  const isNarrow = Object.keys(pattern).length > 0;
  const rule = Object.entries(pattern).map(([name, text]) => `${name} is ${text}`);
  const remember = { scope: "rule", arguments: pattern, ...until };
  return (
    <li>
      <div class="rule">
        <p>
          {isNarrow
            ? `${tool} where ${rule.join(" and ")}, in every session${who}`
            : "A rule needs at least one argument: a tool is never approved by its name alone."}
        </p>
        {texts.map(([name]) => (
          <label key={name}>
            <span>{name}</span>
            <input
              value={patterns.value[name] ?? ""}
              placeholder="anything"
              onInput={(event) => (patterns.value = { ...patterns.value, [name]: event.currentTarget.value })}
            />
          </label>
        ))}
        <small>* matches any text, ? one character; an empty field matches anything.</small>
        {isNarrow && <Matches id={id} remember={remember} />}
      </div>
      <button
        type="button"
        disabled={busy.value || !isNarrow}
        onClick={(event) => void decide(event, { decision: "approve", remember })}
      >
        Always, by this rule
      </button>
    </li>
  );
}
