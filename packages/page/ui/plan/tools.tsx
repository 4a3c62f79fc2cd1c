import { Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { StatusChip } from "../calls/status.tsx";
import { go, linkTo, route } from "../route.ts";
import type { CallSummary, Entry, LockChange } from "../shapes.ts";
import { calls } from "../state.ts";
import { placeText } from "./place.ts";
import { Problems } from "./problems.tsx";
import { readVerdicts, verdicts } from "./verdict.ts";
import { Why } from "./why.tsx";

interface ToolTableProps {
  readonly entries: readonly Entry[];
  readonly changes: readonly LockChange[];
}

/**
 * Shows a table of modules with their states and, below each, its tools with verdict, calls, errors and differences from the
 * lock.
 */
export function ToolTable({ entries, changes }: ToolTableProps) {
  const names = entries.flatMap(({ tools }) => tools);
  useEffect(() => readVerdicts(names), [names.join("\n")]);
  const made = Map.groupBy(calls.value, ({ tool }) => tool);
  const drift = new Map(changes.map(({ tool, change }) => [tool, change]));
  return (
    <div class="box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">tool</th>
            <th scope="col">a call of it is</th>
            <th scope="col" class="number">
              calls
            </th>
            <th scope="col" class="number">
              errors
            </th>
            <th scope="col">lock</th>
          </tr>
        </thead>
        {entries.map((entry) => (
          <tbody key={`${entry.section} ${entry.id}`}>
            <EntryRow entry={entry} />
            {entry.tools.map((tool) => (
              <ToolRow key={tool} tool={tool} made={made.get(tool) ?? []} drift={drift.get(tool)} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function EntryRow({ entry }: { readonly entry: Entry }) {
  const { id, section, specifier, version, state, problems, position } = entry;
  const facts = [
    section,
    specifier === id ? "" : specifier,
    version ?? "",
    position === undefined ? "" : placeText(position),
  ];
  return (
    <tr class="entry">
      <th scope="rowgroup" colSpan={5}>
        {id} <StatusChip status={state} /> <small>{facts.filter(Boolean).join(" · ")}</small>
        <Problems problems={problems} />
      </th>
    </tr>
  );
}

interface ToolRowProps {
  readonly tool: string;
  readonly made: readonly CallSummary[];
  readonly drift: string | undefined;
}

function ToolRow({ tool, made, drift }: ToolRowProps) {
  const isOpen = route.value.open === tool;
  const errors = made.filter(({ code }) => code !== null).length;
  // Calls of a tool that differs from the lock file are denied, whatever the policy says.
  const verdict = drift === undefined ? verdicts.value.get(tool) : "deny";
  return (
    <Fragment>
      <tr>
        <td>
          <button
            type="button"
            class="plain"
            aria-label={`Why ${tool}?`}
            aria-expanded={isOpen}
            onClick={() => go("plan", isOpen ? null : tool)}
          >
            {tool}
          </button>
        </td>
        <td>{verdict === undefined ? "" : <StatusChip status={verdict} />}</td>
        <td class="number">
          {made.length === 0 ? "0" : <a href={linkTo("calls", null, { tool })}>{made.length}</a>}
        </td>
        <td class="number">{errors === 0 ? "0" : <span class="chip bad">{errors}</span>}</td>
        <td>{drift === undefined ? "" : <StatusChip status={drift} />}</td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={5}>
            <Why tool={tool} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}
