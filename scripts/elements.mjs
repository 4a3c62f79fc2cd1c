// Bundles the elements that a package has for other people's pages: one minified file for browsers, with all that it uses.
import { existsSync } from "node:fs";
import { rolldown } from "rolldown";

const types = "./src/elements.ts";
const source = "ui/elements.tsx";
const target = "dist/elements.js";

/** Whether an entry of the package is made here. */
export const isForBrowsers = (path) => path === types && existsSync(source);

/** Writes the elements of the package of the working folder; does nothing where it has none. Returns the files it wrote. */
export async function bundleElements() {
  if (!existsSync(source)) return [];
  const bundle = await rolldown({
    input: source,
    platform: "browser",
    moduleTypes: { ".css": "text" },
    checks: { bundlerTimings: false },
    onwarn(warning) {
      throw new Error(`${source}: ${warning.message}`);
    },
  });
  await bundle.write({ file: target, format: "esm", minify: true });
  await bundle.close();
  return [target];
}
