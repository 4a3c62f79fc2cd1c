// Bundles the package of the working folder: one file in `dist/` for each entry of its `exports` and `imports`, with
// chunks for what is loaded when it is needed. Dependencies stay outside, so two copies of a package never meet. The
// command carries zod, and `carried` in a manifest names development dependencies that the package brings in its own files
// because they are large to install; all minified and with their licences. Declarations come from `tsc -b`, which runs before.
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { bundleElements, isForBrowsers } from "./elements.mjs";
import { compileWithFile } from "./first-call.mjs";
import {
  carriedCode,
  copyCarried,
  copyFoldersRead,
  licencesOf,
  minifyFile,
  requireNoFileOutside,
} from "./carried.mjs";

/** Modules of Node that take milliseconds to load, and whose members are functions or `constants`. */
const lateModules = new Set([
  '"node:crypto"',
  '"node:fs/promises"',
  '"node:readline"',
  '"node:stream/promises"',
]);

/** Modules of which carried code takes the whole, and seldom uses any of it. */
const lateWholes = new Set(['"node:child_process"']);

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const targets = [...Object.values(manifest.exports ?? {}), ...Object.values(manifest.imports ?? {})];
const sources = targets
  .map((target) => target["@toolmount/source"])
  .filter((path) => path?.startsWith("./") && !isForBrowsers(path));
if (existsSync("src/main.ts")) sources.push("./src/main.ts");
const input = Object.fromEntries(sources.map((path) => [nameOf(path), path]));

const isCommand = manifest.name === "toolmount";
const carried = [...(isCommand ? ["zod"] : []), ...(manifest.carried ?? [])];
if (isCommand) input["zod"] = "zod";

/** What each module imports statically, by its path. */
const imports = new Map();

/**
 * What a start loads together, as one file each: the modules that these import statically and that no file before has.
 * Every file takes about 0.3 ms. The entries of a package stay files of their own.
 */
const files = {
  toolmount: {
    start: ["main.ts", "commands/plan/list.ts"],
    call: ["commands/calls/call.ts"],
  },
  "@toolmount/core": {
    words: ["contract/errors.ts", "text.ts"],
    host: ["index.ts", "internal.ts", "json.ts", "modules.ts", "record.ts", "schemas.ts"],
  },
  "@toolmount/loader": {
    list: ["commands/list.ts"],
    host: ["host/opened-host.ts"],
  },
}[manifest.name];

/** The name of each module's file, once all imports are known. */
let fileOf;

/** Modules that five commands or more share are one file, too. The modules that they import stay where they are. */
const shared = { name: "shared", test: /packages.cli.src/, minShareCount: 5 };
const together = {
  codeSplitting: {
    groups: [{ name: fileNameOf, priority: 1 }, ...(isCommand ? [shared] : [])],
    includeDependenciesRecursively: false,
  },
};

const bundle = await rolldown({
  input,
  // What rolldown needs where a chunk takes modules without their imports.
  ...(files === undefined ? {} : { preserveEntrySignatures: "allow-extension" }),
  plugins: [
    { name: "imports", moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds) },
    compileWithFile(manifest.name),
    carriedCode,
  ],
  platform: "node",
  resolve: {
    alias: {
      // Its `main` gets `require` as an argument, so no bundler sees what it requires.
      "jsonc-parser": "jsonc-parser/lib/esm/main.js",
      // Modules, of which only the used ones are carried: half of the code, and 4 ms less of every start that reads a plan.
      yaml: join(process.cwd(), "node_modules/yaml/browser/dist/index.js"),
    },
  },
  // A warning ends the build, and a busy machine is no reason for one.
  checks: { bundlerTimings: false },
  external: (id, importer) => !/^[./]/.test(id) && !isCarried(id) && !isBelowCarried(id, importer),
  // A package of ours does no work when it is imported, so what an entry does not use is left out.
  treeshake: {
    moduleSideEffects: (id) =>
      id.includes("node_modules") || Object.values(input).some((path) => id.endsWith(path.slice(1))),
  },
  onwarn(warning) {
    throw new Error(`${basename(process.cwd())}: ${warning.message}`);
  },
});
const { output } = await bundle.write({
  dir: "dist",
  format: "esm",
  sourcemap: true,
  // Declarations have what the code says of itself.
  comments: { jsdoc: false },
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  ...(files === undefined ? {} : together),
});
await bundle.close();

const copiedFrom = copyCarried(manifest.imports);

for (const { fileName } of output)
  if (fileName.endsWith(".js")) {
    const path = join("dist", fileName);
    writeFileSync(path, withLightImports(readFileSync(path, "utf8")));
  }

// Chunks of what others wrote need no map, which would be as large as the code.
for (const { fileName, moduleIds = [] } of output)
  if (moduleIds.length > 0 && moduleIds.every((id) => !isOwn(id))) {
    minifyFile(join("dist", fileName));
    copyFoldersRead(moduleIds, join("dist", fileName));
    rmSync(join("dist", `${fileName}.map`), { force: true });
  }

// Chunks of an earlier build. Files for browsers, below `dist/ui`, are not bundled.
const written = new Set(
  output.map(({ fileName }) => join("dist", fileName)).filter((path) => existsSync(path)),
);
for (const path of await bundleElements()) written.add(path);
for (const path of globSync("dist/**/*.{js,js.map}", { exclude: ["dist/ui"] }))
  if (!written.has(path)) rmSync(path);
// Declarations of sources that were renamed or removed since; the compiler leaves them.
for (const path of globSync("dist/**/*.d.ts", { exclude: ["dist/ui"] })) {
  const source = join("src", relative("dist", path).replace(/\.d\.ts$/, ""));
  if (existsSync(`${source}.ts`) || existsSync(`${source}.tsx`)) continue;
  rmSync(path);
  rmSync(`${path}.map`, { force: true });
}

for (const path of written) {
  if (path.endsWith(".js")) requireNoFileOutside(path, readFileSync(path, "utf8"));
  if (path.endsWith(".map")) writeFileSync(path, withoutTexts(readFileSync(path, "utf8")));
}
const folders = new Set(output.flatMap(({ moduleIds = [] }) => moduleIds.flatMap(packageFolder)));
for (const file of copiedFrom) packageFolder(file).forEach((each) => folders.add(each));
if (folders.size > 0) writeFileSync("dist/LICENSES.txt", licencesOf([...folders]));

/** The file of a module; null for one that rolldown places. */
function fileNameOf(id) {
  fileOf ??= new Map(
    Object.entries(files)
      .toReversed()
      .flatMap(([name, paths]) =>
        paths
          .map((path) => join(process.cwd(), "src", path))
          .reduce((reached, path) => reachedFrom(path, reached), new Set())
          .values()
          .map((each) => [each, name])
          .toArray(),
      ),
  );
  return isEntry(id) ? null : (fileOf.get(id) ?? null);
}

function isEntry(id) {
  return Object.values(input).some((path) => id === join(process.cwd(), path));
}

/** A module and all that it imports statically. */
function reachedFrom(id, reached) {
  if (reached.has(id)) return reached;
  reached.add(id);
  for (const next of imports.get(id) ?? []) reachedFrom(next, reached);
  return reached;
}

/** A file below `src/carried` only names what others wrote. */
function isOwn(id) {
  return id.startsWith(join(process.cwd(), "src/")) && !id.startsWith(join(process.cwd(), "src/carried/"));
}

/**
 * An import of `node:process` or `node:util` reads every member of it, which loads streams, colours and more: 6.5 ms of
 * the 28 that Node needs to start. `process.getBuiltinModule` reads only what is used. Lines stay where they are.
 */
function withLightImports(code) {
  return code.replaceAll(
    /^import (?:([\w$]+),? ?)?(?:\{ ([^}]+) \} )?from ("node:[\w/]+");$/gm,
    (_, whole, names, id) => {
      if (lateModules.has(id) && whole === undefined)
        return names
          .split(", ")
          .map((imported) => lightFunction(imported, id))
          .join(" ");
      if (lateWholes.has(id) && names === undefined)
        return `const ${whole} = new Proxy({}, { get: (_, name) => globalThis.process.getBuiltinModule(${id})[name] });`;
      const parts = [whole, names && `{ ${names.replaceAll(" as ", ": ")} }`].filter(Boolean);
      return parts.map((part) => `const ${part} = globalThis.process.getBuiltinModule(${id});`).join(" ");
    },
  );
}

function lightFunction(imported, id) {
  const [name, local = name] = imported.split(" as ");
  const member = `globalThis.process.getBuiltinModule(${id}).${name}`;
  return name === "constants"
    ? `const ${local} = ${member};`
    : `const ${local} = (...given) => ${member}(...given);`;
}

/** Our sources are in the package, and those of carried packages are not ours to debug: a map needs neither's text. */
function withoutTexts(map) {
  const { sourcesContent: _, ...rest } = JSON.parse(map);
  return JSON.stringify(rest);
}

/** What a carried package imports is carried, too, unless the manifest says that it is installed. */
function isBelowCarried(id, importer) {
  const isInstalled = packageOf(id) in { ...manifest.dependencies, ...manifest.peerDependencies };
  return importer?.includes("/node_modules/") === true && !isBuiltin(id) && !isInstalled;
}

function isCarried(id) {
  return carried.includes(packageOf(id));
}

/** `@ai-sdk/openai/internal` is in the package `@ai-sdk/openai`. */
function packageOf(id) {
  return id.split("/", id.startsWith("@") ? 2 : 1).join("/");
}

/** The folder of the installed package that a bundled file is from; none for our own files. */
function packageFolder(path) {
  const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path);
  return found === null ? [] : [found[0]];
}

/** `./src/contract/errors.ts` is built as `dist/contract/errors.js`. */
function nameOf(path) {
  return relative("src", path).replace(/\.tsx?$/, "");
}
