import { isBuiltin } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * What the declarations of a package import although it is not installed with the package, as `file: name`. Follows the
 * declarations from each entry of `exports`, as the compiler of a user does.
 */
export function importsNotInstalled(folder: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const installed = { ...manifest.dependencies, ...manifest.peerDependencies, [manifest.name]: "" };
  const waiting = declarationsOf(manifest).map((path) => join(folder, path));
  const seen = new Set<string>();
  const found: string[] = [];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    const imports = readFileSync(file, "utf8").matchAll(/(?<!")(?:from|import\()\s*"([^"]+)"/g);
    for (const [, name = ""] of imports)
      if (name.startsWith(".")) waiting.push(join(dirname(file), name.replace(/\.tsx?$/, ".d.ts")));
      else if (!isBuiltin(name) && !(packageOf(name) in installed)) found.push(`${file}: ${name}`);
  }
  return found;
}

/** Every file that a condition of `exports` names, as the declaration beside it. */
function declarationsOf({ exports = {} }: Manifest): readonly string[] {
  const files = (target: unknown): readonly string[] =>
    typeof target === "string" ? [target] : Object.values(target ?? {}).flatMap(files);
  return files(exports).map((path) => path.replace(/\.js$/, ".d.ts"));
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
