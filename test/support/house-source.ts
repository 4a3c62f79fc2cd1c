import { parseSync, Visitor, type Expression } from "oxc-parser";

/** A place in a file, in characters from its start, and the text found there. */
export interface Mark {
  readonly at: number;
  readonly what: string;
}

/** What a file imports, in whichever way, and what it reads of its surroundings. */
export interface Source {
  /** Each import whose specifier is a literal. */
  readonly imports: readonly Mark[];
  /** Those of them that are import statements: neither a re-export nor an import made when it is needed. */
  readonly statements: readonly Mark[];
  /** Each dynamic import of a name that is computed. */
  readonly computed: readonly Mark[];
  /** Each read of the environment, the working folder, the clock or the console. */
  readonly reads: readonly Mark[];
  /** Each declaration that Node 22 cannot parse. */
  readonly tooNew: readonly Mark[];
  readonly onlyReexports: boolean;
  /** Each function, with the number of its lines as `what`. */
  readonly functions: readonly Mark[];
}

/** Parses a file and finds what it imports and reads. */
export function readSource(path: string, code: string): Source {
  const imports: Mark[] = [];
  const statements: Mark[] = [];
  const computed: Mark[] = [];
  const reads: Mark[] = [];
  const tooNew: Mark[] = [];
  const functions: Mark[] = [];
  const { program } = parseSync(path, code);
  const imported = ({ start, value }: { start: number; value: string }) => {
    imports.push({ at: start, what: value });
    if (packageOf(value).replace("node:", "") === "process") reads.push({ at: start, what: "process" });
  };
  const measured = ({ start, end }: { start: number; end: number }) => {
    functions.push({ at: start, what: String(code.slice(start, end).split("\n").length) });
  };
  new Visitor({
    FunctionDeclaration: measured,
    FunctionExpression: measured,
    ArrowFunctionExpression: measured,
    VariableDeclaration({ start, kind }) {
      if (kind.endsWith("using")) tooNew.push({ at: start, what: kind });
    },
    ImportDeclaration({ source }) {
      imported(source);
      statements.push({ at: source.start, what: source.value });
    },
    ExportAllDeclaration: ({ source }) => imported(source),
    ExportNamedDeclaration: ({ source }) => source && imported(source),
    TSImportType: ({ source }) => imported(source),
    ImportExpression({ start, source }) {
      const value = literal(source);
      if (value === undefined) computed.push({ at: start, what: code.slice(source.start, source.end) });
      else imported({ start, value });
    },
    MemberExpression({ start, object, property }) {
      if (object.type !== "Identifier" || property.type !== "Identifier") return;
      const read = `${object.name}.${property.name}`;
      if (object.name === "console") reads.push({ at: start, what: "console" });
      if (["process.env", "process.cwd", "Date.now", "performance.now"].includes(read)) {
        reads.push({ at: start, what: read });
      }
    },
    NewExpression({ start, callee, arguments: { length } }) {
      if (length === 0 && callee.type === "Identifier" && callee.name === "Date") {
        reads.push({ at: start, what: "new Date()" });
      }
    },
  }).visit(program);
  const onlyReexports =
    program.body.length > 0 &&
    program.body.every((node) => "source" in node && node.source !== null && node.type.startsWith("Export"));
  return { imports, statements, computed, reads, tooNew, onlyReexports, functions };
}

function literal(source: Expression): string | undefined {
  if (source.type === "Literal" && typeof source.value === "string") return source.value;
  if (source.type !== "TemplateLiteral" || source.expressions.length > 0) return undefined;
  return source.quasis[0]?.value.cooked ?? undefined;
}

/** The package that a specifier begins with, scope and all. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
