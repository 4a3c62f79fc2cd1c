import { readFile } from "node:fs/promises";

/** Version ranges, by package name. */
type Ranges = Readonly<Record<string, string>>;

/** Version ranges of libraries that are not dependencies of this package. A test compares them with the workspace's catalog. */
export const libraries: Ranges = {
  "@arethetypeswrong/cli": "^0.18.5",
  "@types/node": "^24.0.0",
  publint: "^0.3.25",
  typescript: "~7.0.2",
  zod: "^4.6.7",
};

/**
 * Returns version ranges for new projects, from this package's own dependencies and {@link libraries}. If the package runs from
 * its sources, its dependencies get `*`. This command needs exactly one version of core, because it uses core's internals. A
 * project and a tool use only the public API, so they get a range.
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
