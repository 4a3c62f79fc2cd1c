// How a bundle carries packages of others: minified, without what it never uses, and with their licences.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { minifySync } from "rolldown/utils";

/**
 * What carried packages load only for work that is never asked of them: the compiler of types formats with prettier and
 * searches files, the finder of plans reads YAML itself, and the writer of completions asks at a terminal.
 */
const unused = /^(?:prettier|tinyglobby|js-yaml|enquirer)$/;

/** Commander starts programs for commands that are files; ours are not, and what Node has for that takes 5 ms to load. */
const isUnusedBy = (importer, id) => id === "node:child_process" && /\/commander\/lib\//.test(importer);

/** The module that takes the place of an unused package; the compiler of types makes a schema of js-yaml while it is loaded. */
const unusedModule = `export const format = undefined;
export const glob = undefined;
export const CORE_SCHEMA = { withTags: () => undefined };
export default {};`;

/** Names of functions and classes stay, because libraries print and compare them. */
const keepNames = { function: true, class: true };

/** A plugin that minifies each module of others before it is joined with our own, which stay as they are. */
export const carriedCode = {
  name: "carried",
  resolveId: (id, importer = "") => (unused.test(id) || isUnusedBy(importer, id) ? "\0unused" : null),
  load: loadCarried,
  transform: {
    filter: { id: /\/node_modules\/.*\.[cm]?js$/ },
    handler(code, id) {
      // What others wrote is debugged in their repositories, so no map leads into it.
      return { code: minify(id, code), map: { mappings: "" } };
    },
  },
};

/** Minifies a file in its place. The folder of a CommonJS module becomes that of the file that it is joined into. */
export function minifyFile(path) {
  const code = readFileSync(path, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
  writeFileSync(path, minify(path, code.replaceAll(/\b__dirname\b/g, "import.meta.dirname")));
}

/** Copies the folders that the modules of a file read beside them. */
export function copyFoldersRead(moduleIds, path) {
  for (const id of moduleIds.filter((each) => each.endsWith("/@pnpm/tabtab/lib/installer.js")))
    cpSync(join(dirname(id), "templates"), join(dirname(path), "templates"), { recursive: true });
}

/**
 * A file of a carried package that is read, not bundled: `#name` is the package's file in the sources, and a copy of it
 * in the package. Returns the files that were copied.
 */
export function copyCarried(imports = {}) {
  const copies = Object.values(imports).filter(({ default: copy }) => /\.(?:cjs|mjs|css)$/.test(copy ?? ""));
  return copies.map(({ "@toolmount/source": id, default: copy }) => {
    const file = resolve(id);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
    if (copy.endsWith("js")) minifyFile(copy);
    return file;
  });
}

/** Throws when a file still requires another file by its path: a module whose `require` was not joined. */
export function requireNoFileOutside(path, code) {
  const withoutComments = code.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "");
  for (const [, , id] of withoutComments.matchAll(/(?<!import)\((["'`])(\.\.?\/[^"'`\s]+)\1\)/g))
    if (!existsSync(join(dirname(path), id)))
      throw new Error(`${path} requires ${id}, which is not in the package`);
}

/** The licences of packages, with each text once, below the names of all that have it. */
export function licencesOf(folders) {
  const licences = folders.map(licenceOf).toSorted((one, other) => one.name.localeCompare(other.name));
  return Map.groupBy(licences, ({ text }) => text)
    .values()
    .map((all) => `${all.map(({ name }) => `${name}\n`).join("")}\n${all[0].text}\n`)
    .toArray()
    .join("\n");
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [file] = globSync("{LICENSE,LICENCE,License,license}{,.md,.txt}", { cwd: folder });
  const text = file === undefined ? license : readFileSync(join(folder, file), "utf8").trim();
  return { name: `${name} ${version}`, text };
}

function minify(path, code) {
  const { code: minified, errors } = minifySync(path, code, {
    module: /^\s*(?:import|export)\b/m.test(code),
    compress: { keepNames },
    mangle: { keepNames },
    codegen: { removeWhitespace: true, legalComments: "none" },
  });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return minified;
}

/** Where an `import` of the working folder's package leads. */
function resolve(id) {
  const script =
    "process.stdout.write(process.getBuiltinModule('url').fileURLToPath(import.meta.resolve(process.argv[1])))";
  return execFileSync(process.execPath, ["--input-type=module", "--eval", script, id], { encoding: "utf8" });
}

/** The ranks of a tokenizer are 2.4 MB of texts; compressed in the file they are 1.1 MB. */
async function loadCarried(id) {
  if (id === "\0unused") return unusedModule;
  if (!/gpt-tokenizer\/esm\/bpeRanks\/\w+\.js$/.test(id)) return null;
  const { default: ranks } = await import(id);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const packed = brotliCompressSync(JSON.stringify(ranks), { params }).toString("base64");
  return `import { brotliDecompressSync } from "node:zlib";
export default JSON.parse(brotliDecompressSync(Buffer.from("${packed}", "base64")).toString("utf8"));`;
}
