import { createRequire } from "node:module";
import type * as babelModule from "../carried/babel.ts";
import type { NodePath, PluginItem, PluginObject, types } from "@babel/core";
import { legacyParameters } from "./legacy-parameters.ts";
import { findTsconfig, type CompilerOptions } from "./tsconfig.ts";

type Babel = typeof babelModule;
let loaded: Babel | undefined;

/** The compiler is large, so it is loaded for the first file that needs it. Module hooks cannot wait for an import. */
function babel(): Babel {
  loaded ??= createRequire(import.meta.url)("#babel") as Babel;
  return loaded;
}

/**
 * Compiles a file of TypeScript to the JavaScript of this Node, as the project's options say. Each statement stays on its
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
    // Before the types are taken out, so that fields are set after the properties that parameters declare.
    ...(assigns ? [classProperties] : []),
    [typescript, { isTSX }],
    ...(isTSX ? ([[jsx, jsxOptions(options)]] satisfies PluginItem[]) : []),
  ];
}

/** Whether a field is assigned in the constructor, as before ES2022, instead of defined. */
function assignsFields({ useDefineForClassFields, target = "esnext" }: CompilerOptions): boolean {
  if (useDefineForClassFields !== undefined) return !useDefineForClassFields;
  const year = Number(/^es(20\d\d)$/i.exec(target)?.[1] ?? (/^es[3-6]$/i.test(target) ? 2015 : 2022));
  return year < 2022;
}

/** A field that is assigned, and has no value, is only a type. It is removed before the fields of its class are compiled. */
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

/** The compiler's error, with a stack that begins as Node's own do for a syntax error. */
function withPlace(error: unknown, path: string, text: string): unknown {
  const { loc, message } = error as ParseError;
  if (loc === undefined) return error;
  const problem = message.replace(`${path}: `, "").replace(/ \(\d+:\d+\)[\s\S]*$/, "");
  const failure = new SyntaxError(problem, { cause: error });
  const line = text.split("\n")[loc.line - 1] ?? "";
  failure.stack = `${path}:${loc.line}\n${line}\n${" ".repeat(loc.column)}^\n\n${failure.stack}`;
  return failure;
}
