/**
 * Packages and settings that the design names and that do not exist yet, with what they will do. Doctor lists them, and no
 * hint says to install them. What is released is removed from this list.
 */
export const notYet: ReadonlyMap<string, string> = new Map([
  ["run.in: fleet", "calls on workers of other machines"],
]);

/** The package among those that do not exist yet that a text says to install. */
export function findNotYet(text: string): string | undefined {
  return [...notYet.keys()].find((name) => text.includes(`npm install ${name}`));
}
