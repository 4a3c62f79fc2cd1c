import type { Signal } from "@preact/signals";
import type { Approval } from "../shapes.ts";
import type { Decision } from "./decision.ts";

interface ScopesProps {
  readonly approval: Approval;
  readonly busy: Signal<boolean>;
  readonly decide: (event: Event, decision: Decision) => Promise<void>;
}

/** Approvals that also answer later calls, each with the rule that it makes. */
export function Scopes({ approval: { tool, info }, busy, decide }: ScopesProps) {
  const scopes = [
    ...(info.sessionId === undefined
      ? []
      : [
          {
            scope: "session",
            name: "For this session",
            rule: `${tool} with exactly these arguments, in session ${info.sessionId}`,
          },
        ]),
    {
      scope: "arguments",
      name: "Always, with these arguments",
      rule: `${tool} with exactly these arguments, in every session`,
    },
  ];
  return (
    <ul class="scopes" aria-label="Approve also later calls">
      {scopes.map(({ scope, name, rule }) => (
        <li key={scope}>
          <span>
            {rule}
            {info.userId !== undefined && `, for ${info.userId}`}
            <br />
            <small>It ends when you revoke it, or when the tool changes.</small>
          </span>
          <button
            type="button"
            disabled={busy}
            onClick={(event) => void decide(event, { decision: "approve", remember: { scope } })}
          >
            {name}
          </button>
        </li>
      ))}
    </ul>
  );
}
