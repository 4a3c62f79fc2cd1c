import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseSync, type Comment, type Statement } from "oxc-parser";

interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/** A parsed file: its text, its statements and its comments. */
interface File {
  readonly path: string;
  readonly code: string;
  readonly body: readonly Statement[];
  readonly comments: readonly Comment[];
}

/** One public name: its docstring, and its declaration as TypeScript prints it. */
interface PublicName {
  readonly name: string;
  readonly doc: string;
  readonly declaration: string;
}

/** Names of an entry that are listed under one comment of its source. */
interface Group {
  readonly title: string;
  readonly names: readonly PublicName[];
}

/** One entry of a package's `exports`, such as `@toolmount/core/scan`. */
export interface Entry {
  readonly specifier: string;
  readonly groups: readonly Group[];
}

/**
 * Reads the public names of a package: the order and the headings from the source of each entry, the declarations and
 * docstrings from what `tsc -b` has built in `dist/`.
 */
export async function readEntries(folder: string): Promise<readonly Entry[]> {
  const manifest = await readManifest(folder);
  const entries: Entry[] = [];
  for (const [key, target] of Object.entries(manifest.exports ?? {})) {
    if (typeof target === "string") continue;
    const source = await parse(join(folder, target["@toolmount/source"]!));
    const groups: { title: string; names: PublicName[] }[] = [];
    for (const statement of source.body) {
      const title = headingBefore(source, statement);
      if (title !== "" || groups.length === 0) groups.push({ title, names: [] });
      groups.at(-1)!.names.push(...(await namesOf(statement, source, declarationPath(source.path))));
    }
    entries.push({ specifier: key.replace(".", manifest.name), groups });
  }
  return entries;
}

/** The page of a package, in Markdown. */
export async function renderPage(folder: string): Promise<string> {
  const { name, description } = await readManifest(folder);
  const lines = [
    `# ${name}`,
    "",
    `<!-- Made by \`pnpm api\` from the docstrings; edit those. -->`,
    "",
    description,
    "",
  ];
  for (const { specifier, groups } of await readEntries(folder)) {
    lines.push(`## \`${specifier}\``, "");
    for (const { title, names } of groups) {
      if (title !== "") lines.push(...(specifier === name ? [`### ${title}`, ""] : [title, ""]));
      for (const { name: own, doc, declaration } of names)
        lines.push(`#### \`${own}\``, "", ...(doc === "" ? [] : [doc, ""]), "```ts", declaration, "```", "");
    }
  }
  return lines.join("\n");
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

async function parse(path: string): Promise<File> {
  const code = await readFile(path, "utf8");
  const { program, comments } = parseSync(path, code);
  return { path, code, body: program.body, comments };
}

/** `packages/core/dist/json/json.d.ts` for `packages/core/src/json/json.ts`. */
function declarationPath(source: string): string {
  return source.replace("/src/", "/dist/").replace(/\.ts$/, ".d.ts");
}

/** The names that one statement of an entry exports; a re-export is followed to its declaration. */
async function namesOf(statement: Statement, source: File, builtPath: string): Promise<PublicName[]> {
  if (statement.type === "ExportAllDeclaration") {
    const file = await parse(resolveFrom(builtPath, statement.source.value));
    return file.body.flatMap((inner) => declaredNames(inner)).map((name) => describe(name, name, file));
  }
  if (statement.type !== "ExportNamedDeclaration") return [];
  if (statement.source === null) {
    const names = declaredNames(statement);
    return names.length === 0
      ? []
      : await parse(builtPath).then((file) => names.map((name) => describe(name, name, file)));
  }
  const found: PublicName[] = [];
  for (const { local, exported } of statement.specifiers)
    found.push(
      await follow(nameOf(local), nameOf(exported), resolveFrom(builtPath, statement.source.value), source),
    );
  return found;
}

/** Finds a declaration, through re-exports. */
async function follow(local: string, exported: string, path: string, from: File): Promise<PublicName> {
  const file = await parse(path);
  for (const statement of file.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.source === null) continue;
    const inner = statement.specifiers.find((specifier) => nameOf(specifier.exported) === local);
    if (inner !== undefined)
      return follow(nameOf(inner.local), exported, resolveFrom(path, statement.source.value), file);
  }
  if (file.body.some((statement) => declaredNames(statement).includes(local)))
    return describe(local, exported, file);
  throw new Error(`${from.path}: "${local}" is not declared in ${path}; run tsc -b`);
}

function nameOf(node: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): string {
  return String(node.type === "Literal" ? node.value : node.name);
}

function resolveFrom(path: string, specifier: string): string {
  return join(dirname(path), specifier.replace(/(\.d)?\.ts$/, ".d.ts"));
}

/** The names that a statement declares and exports. */
function declaredNames(statement: Statement): string[] {
  if (statement.type !== "ExportNamedDeclaration" || statement.declaration === null) return [];
  const { declaration } = statement;
  if (declaration.type === "VariableDeclaration")
    return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  return "id" in declaration && declaration.id?.type === "Identifier" ? [declaration.id.name] : [];
}

/** Overloads of a function are one name, and so are a type and a value of the same name. */
function describe(local: string, exported: string, file: File): PublicName {
  const statements = file.body.filter((statement) => declaredNames(statement).includes(local));
  return {
    name: exported,
    doc: statements.map((statement) => docOf(file, statement)).find((doc) => doc !== "") ?? "",
    declaration: statements.map(({ start, end }) => printed(file.code.slice(start, end))).join("\n"),
  };
}

function printed(code: string): string {
  return code
    .replace(/^export (declare )?/, "")
    .split("\n")
    .filter((line) => !/^\s*(?:#private;|private )/.test(line))
    .map((line) => line.replace(/^(?: {4})+/, (indent) => indent.slice(indent.length / 2)))
    .join("\n");
}

function docOf(file: File, statement: Statement): string {
  const comment = commentBefore(file, statement);
  if (comment?.type !== "Block" || !comment.value.startsWith("*")) return "";
  return comment.value
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())
    .join("\n")
    .replaceAll(/\{@link (\w+)\}/g, "`$1`")
    .trim();
}

function headingBefore(file: File, statement: Statement): string {
  const comment = commentBefore(file, statement);
  return comment?.type === "Line" ? comment.value.trim() : "";
}

function commentBefore(file: File, { start }: Statement): Comment | undefined {
  return file.comments.find(({ end }) => end <= start && file.code.slice(end, start).trim() === "");
}
