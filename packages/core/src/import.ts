// How the file of a module is imported: by a host, and by the processes that run its calls.
export { importModule } from "./import/import-module.ts";
export { setImportQuery } from "./import/module-hooks.ts";
export { findImport, isTypeScript } from "./import/find-import.ts";
export { findTsconfig } from "./import/tsconfig.ts";
export { needsCompiler } from "./import/needs-compiler.ts";
