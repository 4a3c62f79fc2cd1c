import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type Edit, type JSONPath } from "jsonc-parser";

/** Returns JSON with comments with its value changed from `before` to `after`. Comments and all unchanged parts stay. */
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
  /** The new value; undefined for a member that is removed. */
  readonly value: unknown;
  /** Whether it is a new item of a list. */
  readonly isNew: boolean;
}

/** Returns the smallest members that differ. In lists, single added or removed items. */
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
