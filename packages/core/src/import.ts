// Imports of module files, for a host and for the processes that run the calls of its modules.
export { importModule } from "./import/import-module.ts";
export { setImportQuery } from "./import/module-hooks.ts";
export { findImport, isTypeScript } from "./import/find-import.ts";
export { findTsconfig } from "./import/tsconfig.ts";
export { needsCompiler } from "./import/needs-compiler.ts";
