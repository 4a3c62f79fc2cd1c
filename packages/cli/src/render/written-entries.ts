import { countOf } from "../screen/count.ts";

const entrySections: ReadonlySet<string> = new Set(["tools", "hooks", "providers"]);

/**
 * Tests whether the plan lists a module itself. Other modules are mounted because a section of the plan or another module needs
 * them.
 */
export function isWritten({ section }: { readonly section: string }): boolean {
  return entrySections.has(section);
}

/**
 * Returns the number of modules that a plan lists, and of those that they need: `2 modules, and 1 for its sections and their
 * needs`.
 */
export function countModules(modules: readonly { readonly section: string }[]): string {
  const written = modules.filter(isWritten);
  const others = modules.length - written.length;
  return `${countOf(written, "module")}${others === 0 ? "" : `, and ${others} for its sections and their needs`}`;
}
