/** Returns a number and its noun, in the plural if needed. */
export function countOf(things: readonly unknown[] | number, noun: string): string {
  const count = typeof things === "number" ? things : things.length;
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
