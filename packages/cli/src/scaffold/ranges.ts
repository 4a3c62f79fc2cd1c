import { readFile } from "node:fs/promises";

/** Version ranges, by package. */
type Ranges = Readonly<Record<string, string>>;

/** Ranges of libraries that this package does not depend on. A test compares them with the workspace's catalog. */
export const libraries: Ranges = {
  "@arethetypeswrong/cli": "^0.18.5",
  "@types/node": "^24.0.0",
  publint: "^0.3.25",
  typescript: "~7.0.2",
  zod: "^4.6.7",
};

/**
 * The ranges that this command was published with; `*` for its own packages when it runs from its sources. The command needs
 * one version of core exactly, since it uses its internals. A project and a tool need its public face.
 */
export async function readRanges(): Promise<Ranges> {
  const manifest = JSON.parse(await readFile(new URL(import.meta.resolve("#package.json")), "utf8")) as {
    version: string;
    dependencies: Readonly<Record<string, string>>;
  };
  const own = Object.entries({ ...manifest.dependencies, toolmount: `^${manifest.version}` });
  const widened = (range: string) => (/^\d/.test(range) ? `^${range}` : range);
  const ranges = own.map(([name, range]) => [name, manifest.version === "0.0.0" ? "*" : widened(range)]);
  return { ...(Object.fromEntries(ranges) as Ranges), ...libraries };
}
