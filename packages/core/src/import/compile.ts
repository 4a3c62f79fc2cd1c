import { createRequire } from "node:module";
import type * as babelModule from "../carried/babel.ts";
import type { NodePath, PluginItem, PluginObject, types } from "@babel/core";
import { legacyParameters } from "./legacy-parameters.ts";
import { findTsconfig, type CompilerOptions } from "./tsconfig.ts";

type Babel = typeof babelModule;
let loaded: Babel | undefined;

/** Loads the compiler for the first file that needs it, because it is large. Module hooks cannot await an import. */
function babel(): Babel {
  loaded ??= createRequire(import.meta.url)("#babel") as Babel;
  return loaded;
}

/**
 * Compiles a TypeScript file to JavaScript for this Node, with the project's options. Each statement stays on its
 * line. Throws a `SyntaxError` whose stack begins with the place.
 */
export function compileTypeScript(path: string, text: string): string {
  const options = findTsconfig(path)?.options ?? {};
  try {
    const compiled = babel().transformSync(text, {
      filename: path,
      babelrc: false,
      configFile: false,
      browserslistConfigFile: false,
      retainLines: true,
      sourceType: "unambiguous",
      plugins: pluginsFor(path, options),
      assumptions: { setPublicClassFields: true },
    });
    return compiled?.code ?? "";
  } catch (error) {
    throw withPlace(error, path, text);
  }
}

function pluginsFor(path: string, options: CompilerOptions): Exclude<PluginItem, undefined>[] {
  const { typescript, decorators, classProperties, jsx } = babel();
  const isTSX = path.endsWith(".tsx");
  const isLegacy = options.experimentalDecorators === true;
  const assigns = isLegacy || assignsFields(options);
  return [
    ...(assigns ? [onlyTypedFields] : []),
    ...(isLegacy ? [legacyParameters] : []),
    [decorators, { version: isLegacy ? "legacy" : "2023-11" }],
    // Fields are compiled before the types are removed, so that they are set after the properties that parameters declare.
    ...(assigns ? [classProperties] : []),
    [typescript, { isTSX }],
    ...(isTSX ? ([[jsx, jsxOptions(options)]] satisfies PluginItem[]) : []),
  ];
}

/** Whether class fields are assigned in the constructor, as before ES2022, and not defined. */
function assignsFields({ useDefineForClassFields, target = "esnext" }: CompilerOptions): boolean {
  if (useDefineForClassFields !== undefined) return !useDefineForClassFields;
  const year = Number(/^es(20\d\d)$/i.exec(target)?.[1] ?? (/^es[3-6]$/i.test(target) ? 2015 : 2022));
  return year < 2022;
}

/** Removes fields without a value, before fields become assignments: such a field only declares a type. */
const onlyTypedFields = (): PluginObject => ({
  visitor: { Program: (program) => program.traverse({ ClassProperty: removeOnlyTyped }) },
});

function removeOnlyTyped(path: NodePath<types.ClassProperty>): void {
  const { value, decorators, static: isStatic, declare } = path.node;
  const isOnlyTyped = declare === true || (value == null && !isStatic);
  if (isOnlyTyped && (decorators ?? []).length === 0) path.remove();
}

function jsxOptions({ jsx = "react-jsx", ...names }: CompilerOptions): object {
  const { jsxFactory, jsxFragmentFactory, jsxImportSource } = names;
  if (jsx === "react")
    return {
      runtime: "classic",
      ...(jsxFactory !== undefined && { pragma: jsxFactory }),
      ...(jsxFragmentFactory !== undefined && { pragmaFrag: jsxFragmentFactory }),
    };
  return { runtime: "automatic", ...(jsxImportSource !== undefined && { importSource: jsxImportSource }) };
}

interface ParseError extends Error {
  readonly loc?: { readonly line: number; readonly column: number };
}

/** Turns the compiler's error into a `SyntaxError` whose stack begins like that of Node's syntax errors. */
function withPlace(error: unknown, path: string, text: string): unknown {
  const { loc, message } = error as ParseError;
  if (loc === undefined) return error;
  const problem = message.replace(`${path}: `, "").replace(/ \(\d+:\d+\)[\s\S]*$/, "");
  const failure = new SyntaxError(problem, { cause: error });
  const line = text.split("\n")[loc.line - 1] ?? "";
  failure.stack = `${path}:${loc.line}\n${line}\n${" ".repeat(loc.column)}^\n\n${failure.stack}`;
  return failure;
}
