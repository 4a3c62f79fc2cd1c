import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type Edit, type JSONPath } from "jsonc-parser";

/**
 * Edits the text of JSON with comments, whose value is `before`, so that its value becomes `after`. Comments and unchanged parts
 * stay.
 */
export function rewriteJson(text: string, before: unknown, after: unknown): string {
  return changesOf(before, after, []).reduce((edited, { path, value, isNew }) => {
    const edits: Edit[] = modify(edited, path, value, {
      formattingOptions: { insertSpaces: true, tabSize: 2 },
      isArrayInsertion: isNew,
    });
    return applyEdits(edited, edits);
  }, text);
}

interface Change {
  readonly path: JSONPath;
  /** The new value; undefined to remove the member. */
  readonly value: unknown;
  /** Whether the value is inserted into a list as a new item. */
  readonly isNew: boolean;
}

/**
 * Returns the changes of the innermost members that differ. In lists, items are added or removed one by one where that is enough;
 * otherwise the list is replaced.
 */
function changesOf(before: unknown, after: unknown, path: JSONPath): readonly Change[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return changesOfList(before, after, path);
  if (!isMap(before) || !isMap(after)) return [{ path, value: after, isNew: false }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => changesOf(before[key], after[key], [...path, key]));
}

function changesOfList(before: readonly unknown[], after: readonly unknown[], path: JSONPath): Change[] {
  const kept = before.filter((item) => after.some((one) => isDeepStrictEqual(one, item)));
  const added = after.slice(kept.length);
  if (!isDeepStrictEqual([...kept, ...added], after)) return [{ path, value: after, isNew: false }];
  const gone = [...before.keys()].filter((index) => !kept.includes(before[index])).toReversed();
  return [
    ...gone.map((index) => ({ path: [...path, index], value: undefined, isNew: false })),
    ...added.map((value, index) => ({ path: [...path, kept.length + index], value, isNew: true })),
  ];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
