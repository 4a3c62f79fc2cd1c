import { countHidden } from "./hidden.ts";
import { HiddenNote } from "./value.tsx";

/** Lines before and after; equal lines at the beginning and at the end are not shown. */
export function Difference({ before, after }: { readonly before: string; readonly after: string }) {
  const [removed, added] = dropEqualEnds(linesOf(before), linesOf(after));
  return (
    <>
      <HiddenNote hidden={countHidden([...removed, ...added].join("\n"))} />
      <pre class="value" tabIndex={0} role="group" aria-label="Difference">
        {removed.map((line) => (
          <del>- {line}</del>
        ))}
        {added.map((line) => (
          <ins>+ {line}</ins>
        ))}
      </pre>
    </>
  );
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function dropEqualEnds(before: string[], after: string[]): [string[], string[]] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [before.slice(start, before.length - end), after.slice(start, after.length - end)];
}

/** The edits that the arguments of a call ask for: pairs of an old and a new text. */
export function editsOf(given: Readonly<Record<string, unknown>>): { before: string; after: string }[] {
  const list: unknown[] = Array.isArray(given["edits"]) ? given["edits"] : [given];
  return list.flatMap((edit) => {
    const { old_string: before, new_string: after } = (edit ?? {}) as Readonly<Record<string, unknown>>;
    return typeof before === "string" && typeof after === "string" ? [{ before, after }] : [];
  });
}
