// Bundles the package of the working folder: one file in `dist/` for each entry of its `exports` and `imports`, with
// chunks for what is loaded when it is needed. Dependencies stay outside, so two copies of a package never meet.
// Declarations come from `tsc -b`, which runs before.
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { rolldown } from "rolldown";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const targets = [...Object.values(manifest.exports ?? {}), ...Object.values(manifest.imports ?? {})];
const sources = targets.map((target) => target["@toolmount/source"]).filter(Boolean);
if (existsSync("src/main.ts")) sources.push("./src/main.ts");
const input = Object.fromEntries(sources.map((path) => [nameOf(path), path]));

const bundle = await rolldown({
  input,
  platform: "node",
  external: (id) => !/^[./]/.test(id),
  // A package of ours does no work when it is imported, so what an entry does not use is left out.
  treeshake: { moduleSideEffects: (id) => Object.values(input).some((path) => id.endsWith(path.slice(1))) },
  onwarn(warning) {
    throw new Error(`${basename(process.cwd())}: ${warning.message}`);
  },
});
const { output } = await bundle.write({
  dir: "dist",
  format: "esm",
  sourcemap: true,
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
});
await bundle.close();

// Chunks of an earlier build. Files for browsers, below `dist/ui`, are not bundled.
const written = new Set(output.map(({ fileName }) => join("dist", fileName)));
for (const path of globSync("dist/**/*.{js,js.map}", { exclude: ["dist/ui"] }))
  if (!written.has(path)) rmSync(path);

/** `./src/contract/errors.ts` is built as `dist/contract/errors.js`. */
function nameOf(path) {
  return relative("src", path).replace(/\.tsx?$/, "");
}
