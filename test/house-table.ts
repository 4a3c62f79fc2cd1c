/** What one package may depend on, beside Node: other packages of the house, and libraries by name or `scope/*`. */
export interface Allowance {
  readonly house: readonly string[];
  readonly libraries: readonly string[];
}

const core = "@toolmount/core";
const paths = "@toolmount/paths";
// What differs between operating systems, and borders: packages that start programs carry it.
const sandbox = "@toolmount/sandbox";
// The calls that a host made, as a file: the loader records them, tests and evaluations read them, a model is replayed from them.
const tape = "@toolmount/tape";

/** The table of packages. A stated direction that no test holds decays. */
export const packages: Readonly<Record<string, Allowance>> = {
  // The compiler of TypeScript that Node cannot strip is carried.
  "@toolmount/core": { house: [], libraries: ["zod", "@babel/*"] },
  "@toolmount/paths": { house: [], libraries: [] },
  "@toolmount/sandbox": {
    house: [core, paths],
    libraries: ["@anthropic-ai/sandbox-runtime", "@vscode/ripgrep"],
  },
  "@toolmount/tape": { house: [core], libraries: [] },
  // For hosts of anybody: it depends on nothing, and knows toolmount by an adapter, as it knows others.
  "host-trial": { house: [], libraries: [] },
  "@toolmount/loader": {
    house: [core, paths, tape],
    libraries: ["yaml", "zod", "cosmiconfig", "exsolve", "pino"],
  },
  "@toolmount/policy": { house: [core, paths, sandbox], libraries: ["zod"] },
  "@toolmount/store": { house: [core, paths], libraries: ["kysely", "pg", "zod"] },
  "@toolmount/interop": {
    house: [core],
    libraries: [
      "zod",
      "ajv",
      "re2js",
      "@ai-sdk/openai-compatible",
      "@valibot/to-json-schema",
      "zod-to-json-schema",
    ],
  },
  "@toolmount/mcp": { house: [core, paths, sandbox], libraries: ["@modelcontextprotocol/*", "zod"] },
  "@toolmount/http": {
    house: [core],
    // jose checks the tokens of OpenID providers, and oauth4webapi gets them.
    libraries: [
      "hono",
      "@hono/node-server",
      "@hono/zod-openapi",
      "jose",
      "oauth4webapi",
      "prom-client",
      "zod",
    ],
  },
  // preact is served to browsers as its packages ship it.
  "@toolmount/page": { house: [], libraries: ["preact", "@preact/signals", "@preact/signals-core", "react"] },
  "@toolmount/reasoner": { house: [core, tape, "@toolmount/interop"], libraries: ["openai", "zod"] },
  // A process that runs calls needs the adapters of other contracts.
  "@toolmount/workers": {
    house: [core, paths, sandbox, "@toolmount/interop"],
    libraries: ["bullmq", "ioredis", "pg", "zod"],
  },
  // What happened, and what another plan would have answered: above the loader, below the command.
  "@toolmount/record": {
    house: [
      core,
      tape,
      "@toolmount/loader",
      "@toolmount/policy",
      "@toolmount/reasoner",
      "@toolmount/testing",
    ],
    libraries: [],
  },
  // A package of its own, so that only who wants OpenTelemetry has its API among the dependencies.
  "@toolmount/otel": { house: [core], libraries: ["@opentelemetry/api", "zod"] },
  // The coordinator of a test is the one that the adapters give to a plan's modules.
  "@toolmount/testing": { house: [core, tape, "@toolmount/interop"], libraries: ["vitest", "recheck"] },
  toolmount: {
    house: [
      core,
      paths,
      sandbox,
      tape,
      "@toolmount/loader",
      "@toolmount/policy",
      "@toolmount/store",
      "@toolmount/interop",
      "@toolmount/mcp",
      "@toolmount/http",
      "@toolmount/page",
      "@toolmount/reasoner",
      "@toolmount/record",
      "@toolmount/workers",
      "@toolmount/testing",
    ],
    // jsonc-parser reads other applications' files, and writes entries into them, and smol-toml reads that of Codex; semver reads
    // the engines of packages and compares versions; yaml edits plans and keeps their comments.
    libraries: [
      "commander",
      "@clack/prompts",
      "@pnpm/tabtab",
      "fast-wrap-ansi",
      "gpt-tokenizer",
      "json-schema-to-typescript",
      "jsonc-parser",
      "semver",
      "smol-toml",
      "yaml",
      "zod",
    ],
  },
  // npm create toolmount: it starts the command.
  "create-toolmount": { house: ["toolmount"], libraries: [] },
};

/** A tool has zod and its own library, whichever that is; of the house only core, as a peer, and the armour of paths and programs. */
export const tool: Allowance = { house: [core, paths, sandbox], libraries: ["*"] };

/**
 * The order of the folders of a package's `src/`, lowest first. A folder imports only from folders before it, type
 * imports counted; the members of an inner list do not import each other. A file directly in `src/` is above all
 * folders, unless the order names it.
 */
export const folderOrders: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  "packages/core": [
    ["carried", "json"],
    "import",
    "contract",
    ["text", "scheduling"],
    "schema",
    "result",
    "scan",
    "registry",
    "pending",
    "sessions",
    "call",
    "host",
  ],
  "packages/loader": ["diagnostics", "modules", "bundles", "plan", "programs", "mount", "host", "commands"],
  "packages/reasoner": ["config", "provider", "session", "agents", "turn"],
  "packages/interop": [
    "profile-words.ts",
    "carried",
    "schema",
    ["providers", "amplifier", "aptix", "forge", "models"],
    "libraries",
  ],
  "packages/cli": [
    ["carried", "edit", "schema", "screen"],
    ["install", "process", "scaffold"],
    "audit",
    ["completion-server.ts", "options", "render"],
    "host",
    ["agent", "clients", "trial"],
    "http",
    "commands",
  ],
  "packages/workers": [["far", "config.ts", "run-failures.ts"], "process", ["fleet", "layer"]],
  "packages/store": [
    ["read-row.ts", "store-shapes.ts", "tables.ts"],
    "sqlite.ts",
    "call-words.ts",
    ["migrations.ts", "postgres.ts"],
    "reads",
    "ledger",
  ],
  "packages/sandbox": ["proof", "system", ["border", "layer"]],
  "tools/bash": [["config.ts", "run", "script"], ["commands", "jobs.ts"], "policy", "shell.ts", "tools"],
  "tools/web": [
    ["config.ts", "guard", "page", "text", "usage"],
    "fetch",
    "extract",
    "web.ts",
    "search",
    "tools",
  ],
  "tools/filesystem": [["config.ts", "usage"], "files", "text", "tools"],
  "tools/search": ["text.ts", "ripgrep"],
  "packages/http": ["fault", "guard", "access", "served-host.ts", "journal", "work", "api", "server"],
  "packages/mcp": ["wire", "reading", "auth", "tasks", ["serve", "mount"]],
  "packages/record": ["audit", "story", "learn", "plan-tests", "plan-evals"],
  "packages/testing": ["providers", "evals", "fakes", "trial", "rules", "check", "store", "suites"],
};

/**
 * The longest a source file, a function and a folder may be: lines, lines, files. A story is one hop of a call. A file that
 * is short, and that one other file alone imports, belongs in that file unless it has a reason among the exceptions.
 */
export const sizes = {
  fileLines: 250,
  storyLines: 300,
  functionLines: 60,
  folderFiles: 22,
  shortLines: 40,
} as const;

/** The folder whose files are stories: a reader follows a call with one file open for each hop. */
export const storyFolder = "packages/core/src/call/";

/** Files that may be longer, because they are tables: one row after another, with nothing to follow. */
export const tables: readonly Exception[] = [
  { path: "tools/bash/src/commands/coreutils-options.ts", because: "one row a command" },
];

/** Short files with one reader that stay files of their own. */
export const shortFiles: readonly Exception[] = [
  { path: "packages/cli/src/process/open-browser.ts", because: "differs by system; a test names each" },
  { path: "packages/http/src/guard/bounded-body.ts", because: "each guard has a file" },
  { path: "packages/interop/src/libraries/adapter.ts", because: "each contract has an adapter.ts" },
  { path: "packages/paths/src/names.ts", because: "which names each system allows, with its own test" },
  { path: "packages/policy/src/hook-environment.ts", because: "it alone reads the environment" },
  { path: "packages/store/src/credentials.ts", because: "each table has a file" },
  { path: "packages/store/src/ledger/message-rows.ts", because: "each table has a file" },
  { path: "packages/workers/src/far/without-signals.ts", because: "a part of the border, found by its name" },
  { path: "tools/web/src/guard/address.ts", because: "docs/reference/where.md names it" },
  { path: "tools/web/src/search/brave.ts", because: "each search engine has a file" },
  { path: "tools/web/src/search/tavily.ts", because: "each search engine has a file" },
];

/**
 * What breaks a rule of order or size today. Each line goes with the change that makes it true: an exception that is
 * no longer needed is a problem, too.
 */
export const exceptions: readonly Exception[] = [
  { path: "packages/core/src/contract", because: "a file for each port and each shape of the contract" },
];

/** A file or folder whose order or size is accepted. */
export interface Exception {
  readonly path: string;
  readonly because: string;
}

/** Who may read the environment, the working folder, the clock or the console: all of it, or what `reads` names. */
export const ambientReaders: readonly AmbientReader[] = [
  { path: "packages/cli/src/", because: "the command is the composition root" },
  { path: "packages/create-toolmount/src/", because: "the command of npm create" },
  {
    path: "packages/host-trial/src/main.ts",
    because: "a command, which is also the process that holds a host",
  },
  {
    path: "packages/host-trial/src/judge/host-process.ts",
    reads: ["process.env"],
    because: "a host on trial has the environment that its people gave it",
  },
  { path: "packages/loader/src/host/defaults.ts", because: "the defaults of openHost" },
  {
    path: "tools/bash/src/run/environment.ts",
    reads: ["process.env"],
    because: "a shell without the host's PATH finds no programs; commands get the few variables it names",
  },
  {
    path: "packages/sandbox/src/border/environment.ts",
    reads: ["process.env"],
    because:
      "programs that a tool starts need PATH and HOME; a process gets these few and the names in the plan",
  },
  {
    path: "packages/mcp/src/mount/process-tree.ts",
    reads: ["process.env"],
    because:
      "the program of a server needs PATH, HOME and the way to the network; it gets these few and the variables in the plan",
  },
  {
    path: "packages/policy/src/hook-environment.ts",
    reads: ["process.env"],
    because: "the program of a hook needs PATH and HOME; it gets these few and the variables in the plan",
  },
  {
    path: "packages/core/src/scheduling/time.ts",
    reads: ["Date.now", "performance.now"],
    because: "the default clock, which the application that creates a host may replace",
  },
];

export interface AmbientReader {
  /** A file, or a folder with a slash at its end. */
  readonly path: string;
  readonly reads?: readonly string[];
  readonly because: string;
}

/** The file that imports what a plan names, in the host and in the processes where its calls run. */
export const computedImports = [
  // The bin of the command, as its manifest names it.
  "packages/create-toolmount/src/main.ts",
  // The adapter of a host on trial.
  "packages/host-trial/src/judge/child.ts",
  "packages/core/src/import/import-module.ts",
];
