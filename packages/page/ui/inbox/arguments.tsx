import { countHidden } from "../hidden.ts";
import { Difference } from "../parts/difference.tsx";
import { Lines } from "../parts/lines.tsx";
import type { Approval } from "../shapes.ts";
import { HiddenNote, Value } from "../value.tsx";
import { editsOf } from "./difference.ts";

/** Names of arguments that contain a program. */
const scripts: ReadonlySet<string> = new Set(["command", "script", "code", "program"]);

/** Shows arguments in a fitting form: an edit as a difference, a script with line numbers. No value is cut. */
export function Arguments({ approval }: { readonly approval: Approval }) {
  const { arguments: given } = approval;
  const edits = editsOf(given);
  const isEdit = (name: string) => edits.length > 0 && ["old_string", "new_string", "edits"].includes(name);
  const all = Object.entries(given).filter(([name]) => !isEdit(name));
  const long = all.filter(([name, value]) => isText(name, value)) as [string, string][];
  const short = all.filter(([name, value]) => !isText(name, value));
  if (all.length + edits.length === 0) return <p class="why">It takes no arguments.</p>;
  return (
    <div role="group" aria-label="Arguments">
      {short.length > 0 && (
        <dl class="args">
          {short.map(([name, value]) => (
            <Argument key={name} name={name} value={value} origin={originOf(name, approval)} />
          ))}
        </dl>
      )}
      {edits.map(({ before, after }) => (
        <section class="box" aria-label="Change">
          <h3>Change</h3>
          <Difference before={before} after={after} />
        </section>
      ))}
      {long.map(([name, text]) => (
        <>
          <Lines key={name} name={name} text={text} isScript={scripts.has(name)} />
          <Origin text={originOf(name, approval)} />
        </>
      ))}
    </div>
  );
}

function isText(name: string, value: unknown): boolean {
  return (
    typeof value === "string" &&
    (value.includes("\n") || value.length > 400 || (scripts.has(name) && value !== ""))
  );
}

interface ArgumentProps {
  readonly name: string;
  readonly value: unknown;
  readonly origin: string | null;
}

function Argument({ name, value, origin }: ArgumentProps) {
  const isPlain = typeof value !== "object" || value === null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {isPlain ? (
          <>
            <div class="v">{value === "" ? <span class="facts">(empty)</span> : textOf(value)}</div>
            <HiddenNote hidden={typeof value === "string" ? countHidden(value) : 0} />
          </>
        ) : (
          <Value value={value} label={name} />
        )}
        <Origin text={origin} />
      </dd>
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Origin({ text }: { readonly text: string | null }) {
  return text === null ? null : <p class="origin">{text}</p>;
}

/**
 * Finds where an argument's value came from, in the reasons; null if none says it. A reason says it as `recipient DE89… · from
 * read_file (call 3) · you never wrote it`.
 */
function originOf(name: string, { reasons }: Approval): string | null {
  const facts = reasons.flatMap(({ reason }) => reason.split("; "));
  const own = facts.find(
    (fact) => fact.includes(" · ") && (fact.startsWith(`${name} `) || fact.startsWith(`${name}.`)),
  );
  return own === undefined ? null : own.slice(own.indexOf(" · ") + 3);
}
