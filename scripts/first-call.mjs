// V8 skips a function until it is called, then reads and compiles it, and its compiled copy is not among those that Node
// keeps (`enableCompileCache`). A function in parentheses is compiled with its file, and its copy is kept. So what a first
// call runs is bundled in parentheses: a fifth of the processor time of `toolmount call`. Which functions those are, a call
// of the sources says.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { RolldownMagicString } from "rolldown";
import { parseSync, Visitor } from "rolldown/utils";

const root = join(import.meta.dirname, "..");
const plan = "scripts/first-call.yaml";
const read = ["read_file", '{"file_path":"README.md","limit":3}'];
const sources = ["-C", "@toolmount/source", "packages/cli/src/main.ts"];
const serve = ["node", ...sources, "serve", plan, "--stdio"].join(" ");

/** A call, from the command to the tool, by the packages in which it runs functions. */
const calls = {
  toolmount: ["call", plan, ...read],
  "@toolmount/core": ["call", plan, ...read],
  "@toolmount/loader": ["call", plan, ...read],
  "@toolmount/paths": ["call", plan, ...read],
  "@toolmount/tool-filesystem": ["call", plan, ...read],
  // Both sides of the protocol.
  "@toolmount/mcp": ["call", "--stdio", serve, ...read],
  "@toolmount/interop": ["call", "--stdio", serve, ...read],
};

/** The command carries the modules of yaml for browsers, which are those for Node in more files. */
const carriedYaml = `import { registerHooks } from "node:module";
registerHooks({
  resolve(id, context, next) {
    const found = next(id, context);
    return id === "yaml" ? { url: found.url.replace("/dist/", "/browser/dist/"), shortCircuit: true } : found;
  },
});`;

/** A plugin that writes the functions of a first call in parentheses; null for a package that has none of them. */
export function compileWithFile(packageName) {
  if (!Object.hasOwn(calls, packageName)) return null;
  const ran = functionsThatRan(calls[packageName]);
  return {
    name: "compile with file",
    transform(code, id) {
      const ranges = ran.get(pathToFileURL(id).href);
      if (ranges === undefined) return null;
      const text = new RolldownMagicString(code, { filename: id });
      writeInParentheses(text, parseSync(id, code).program, ranges);
      return { code: text.toString(), map: text.generateMap({ hires: "boundary" }).toString() };
    },
  };
}

/** The ranges of the functions that a call of the sources runs, by the address of their file. */
function functionsThatRan(call) {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-first-call-"));
  const hook = `data:text/javascript,${encodeURIComponent(carriedYaml)}`;
  const words = ["--import", hook, ...sources, ...call];
  const env = { ...process.env, NODE_V8_COVERAGE: folder };
  execFileSync(process.execPath, words, { cwd: root, env, stdio: ["ignore", "ignore", "inherit"] });
  const files = globSync("*.json", { cwd: folder }).flatMap(
    (file) => JSON.parse(readFileSync(join(folder, file), "utf8")).result,
  );
  rmSync(folder, { recursive: true });
  const ran = Map.groupBy(files, ({ url }) => url);
  for (const [url, copies] of ran) {
    const functions = copies
      .flatMap((copy) => copy.functions)
      .filter(({ ranges: [whole] }) => whole.count > 0);
    ran.set(url, new Set(functions.map(({ ranges: [whole] }) => `${whole.startOffset}-${whole.endOffset}`)));
  }
  return ran;
}

/** A declaration becomes a variable at the top of its module, as it could be called from there. */
function writeInParentheses(text, program, ranges) {
  const didRun = ({ start, end }) => ranges.has(`${start}-${end}`);
  const enclose = (node) => {
    if (!didRun(node)) return;
    text.appendRight(node.start, "(");
    text.prependLeft(node.end, ")");
  };
  new Visitor({ ArrowFunctionExpression: enclose, FunctionExpression: enclose }).visit(program);
  const declared = program.body.map((statement) => ({ statement, node: statement.declaration ?? statement }));
  const overloaded = declared
    .filter(({ node }) => node.type === "TSDeclareFunction")
    .map(({ node }) => node.id?.name);
  for (const { statement, node } of declared) {
    if (node.type !== "FunctionDeclaration" || !didRun(node)) continue;
    if (statement.type === "ExportDefaultDeclaration" || overloaded.includes(node.id.name)) continue;
    text.appendRight(node.start, `var ${node.id.name} = (`);
    text.prependLeft(node.end, ");");
    if (statement.start > 0) text.move(statement.start, statement.end, 0);
  }
}
