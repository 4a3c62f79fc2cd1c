/** Minimum number of characters of an id that a list shows. */
const fewest = 8;

/**
 * Matches an id that a program made: a UUID, or at least 32 characters. Other ids were chosen by people, and are shown
 * completely.
 */
const made = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[\w-]{32,})$/;

/**
 * Returns a function that shortens ids for lists: all to the same length, at which the ids still differ. `findByPrefix` finds an
 * id by such a beginning.
 */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const different = [...new Set(ids)];
  const longest = Math.max(0, ...different.map((id) => id.length));
  const isClear = (length: number) =>
    new Set(different.map((id) => id.slice(0, length))).size === different.length;
  let length = fewest;
  while (length < longest && !isClear(length)) length++;
  return (id) => (made.test(id) ? id.slice(0, length) : id);
}
