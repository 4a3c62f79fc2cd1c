/** What one package may depend on, beside Node: other packages of the house, and libraries by name or `scope/*`. */
export interface Allowance {
  readonly house: readonly string[];
  readonly libraries: readonly string[];
}

const core = "@toolmount/core";

/** The table of packages. A stated direction that no test holds decays. */
export const packages: Readonly<Record<string, Allowance>> = {
  "@toolmount/core": { house: [], libraries: ["zod"] },
  "@toolmount/paths": { house: [], libraries: [] },
  "@toolmount/loader": { house: [core], libraries: ["yaml", "zod", "cosmiconfig", "exsolve", "pino"] },
  "@toolmount/policy": { house: [core], libraries: ["zod"] },
  "@toolmount/store": { house: [core], libraries: ["kysely", "pg", "zod"] },
  "@toolmount/interop": { house: [core], libraries: ["zod", "ajv", "re2js"] },
  "@toolmount/mcp": { house: [core], libraries: ["@modelcontextprotocol/*"] },
  "@toolmount/http": { house: [core], libraries: ["hono", "zod"] },
  "@toolmount/reasoner": { house: [core, "@toolmount/interop"], libraries: ["openai", "zod"] },
  "@toolmount/workers": { house: [core], libraries: ["tinypool", "bullmq"] },
  // A package of its own, so that only who wants OpenTelemetry has its API among the dependencies.
  "@toolmount/otel": { house: [core], libraries: ["@opentelemetry/api", "zod"] },
  "@toolmount/testing": { house: [core], libraries: ["vitest"] },
  toolmount: {
    house: [
      core,
      "@toolmount/loader",
      "@toolmount/policy",
      "@toolmount/store",
      "@toolmount/interop",
      "@toolmount/mcp",
      "@toolmount/http",
      "@toolmount/reasoner",
      "@toolmount/workers",
      "@toolmount/testing",
    ],
    libraries: ["commander", "@clack/prompts"],
  },
};

/** A tool has zod and its own library, whichever that is; of the house only core, as a peer, and the paths' armour. */
export const tool: Allowance = { house: [core, "@toolmount/paths"], libraries: ["*"] };

/** Who may read the environment, the working folder, the clock or the console: all of it, or what `reads` names. */
export const ambientReaders: readonly AmbientReader[] = [
  { path: "packages/cli/src/", because: "the command is the composition root" },
  { path: "packages/loader/src/host/defaults.ts", because: "the defaults of openHost" },
  {
    path: "tools/bash/src/run/environment.ts",
    reads: ["process.env"],
    because: "a shell without the host's PATH finds no programs; commands get the few variables it names",
  },
  {
    path: "packages/core/src/contract/clock.ts",
    reads: ["Date.now", "performance.now"],
    because: "the default clock, which whoever makes a host may replace",
  },
];

export interface AmbientReader {
  /** A file, or a folder with a slash at its end. */
  readonly path: string;
  readonly reads?: readonly string[];
  readonly because: string;
}

/** The one file that imports what a plan names. */
export const computedImport = "packages/loader/src/modules/import.ts";
