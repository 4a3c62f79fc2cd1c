import { countHidden } from "../hidden.ts";
import { differenceOf, type DiffLine } from "../inbox/difference.ts";
import { HiddenNote } from "../value.tsx";

/** The number of equal lines to show before and after a change. */
const around = 3;

/** Shows two texts line by line, with the changed words. Equal lines far from a change are only counted. */
export function Difference({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = differenceOf(before, after);
  return (
    <>
      <HiddenNote hidden={countHidden(before) + countHidden(after)} />
      <pre class="value" tabIndex={0} role="group" aria-label="Difference">
        {withoutFarLines(lines).map((line) =>
          typeof line === "number" ? (
            <span class="skipped">{`  (${line} equal lines)`}</span>
          ) : (
            <Line line={line} />
          ),
        )}
      </pre>
    </>
  );
}

const signs = { same: "  ", removed: "- ", added: "+ " };

function Line({ line: { kind, parts } }: { readonly line: DiffLine }) {
  const texts = parts.map(({ text, isChanged }) => (isChanged ? <b>{text}</b> : text));
  if (kind === "removed") return <del>{[signs.removed, ...texts]}</del>;
  if (kind === "added") return <ins>{[signs.added, ...texts]}</ins>;
  return <span>{[signs.same, ...texts]}</span>;
}

/** Replaces equal lines far from a change with their number. */
function withoutFarLines(lines: readonly DiffLine[]): readonly (DiffLine | number)[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same"),
  );
  const shown: (DiffLine | number)[] = [];
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[at] === true) shown.push(line);
    else if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}
