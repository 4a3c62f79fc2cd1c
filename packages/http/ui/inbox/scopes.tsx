import { useComputed, useSignal, type Signal } from "@preact/signals";
import type { Approval } from "../shapes.ts";
import { calls } from "../state.ts";
import type { Decision } from "./decision.ts";

interface ScopesProps {
  readonly approval: Approval;
  readonly busy: Signal<boolean>;
  readonly decide: (event: Event, decision: Decision) => Promise<void>;
}

/** Approvals that also answer later calls, each with the rule that it makes. */
export function Scopes(props: ScopesProps) {
  const { tool, info } = props.approval;
  const who = info.userId === undefined ? "" : `, for ${info.userId}`;
  return (
    <ul class="scopes" aria-label="Approve also later calls">
      {info.sessionId !== undefined && (
        <Scope
          {...props}
          name="For this session"
          rule={`${tool} with exactly these arguments, in session ${info.sessionId}${who}`}
          remember={{ scope: "session" }}
        />
      )}
      <Scope
        {...props}
        name="Always, with these arguments"
        rule={`${tool} with exactly these arguments, in every session${who}`}
        remember={{ scope: "arguments" }}
      />
      <Rule {...props} who={who} />
      <li>
        <small>
          Each ends when you revoke it under "Approved from now on", or when the tool changes. Rules of the
          plan are asked first: what they deny stays denied.
        </small>
      </li>
    </ul>
  );
}

interface ScopeProps extends ScopesProps {
  readonly name: string;
  readonly rule: string;
  readonly remember: object;
}

function Scope({ busy, decide, name, rule, remember }: ScopeProps) {
  return (
    <li>
      <span>{rule}</span>
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

/** A rule of patterns: each marked argument must match, and the others may be anything. */
function Rule({
  approval: { tool, arguments: given },
  busy,
  decide,
  who,
}: ScopesProps & { readonly who: string }) {
  const texts = Object.entries(given).filter(
    ([, value]) => typeof value === "string" && !value.includes("\n"),
  );
  const patterns = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(texts) as Record<string, string>,
  );
  const pattern = useComputed(() =>
    Object.fromEntries(Object.entries(patterns.value).filter(([, text]) => /[^*]/.test(text))),
  );
  const made = useComputed(() => calls.value.slice(0, 1_000).filter((call) => call.tool === tool).length);
  if (texts.length === 0) return null;
  const isNarrow = Object.keys(pattern.value).length > 0;
  const rule = Object.entries(pattern.value).map(([name, text]) => `${name} is ${text}`);
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
        <small>
          * matches any text; an empty field matches anything. {made.value} of the last{" "}
          {Math.min(1_000, calls.value.length)} calls were calls of {tool}.
        </small>
      </div>
      <button
        type="button"
        disabled={busy.value || !isNarrow}
        onClick={(event) =>
          void decide(event, { decision: "approve", remember: { scope: "rule", arguments: pattern.value } })
        }
      >
        Always, by this rule
      </button>
    </li>
  );
}
