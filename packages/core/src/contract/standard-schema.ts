import type { JsonSchema } from "../json/json.ts";

/**
 * The part of the Standard Schema interface that toolmount uses: validation, and printing as JSON Schema.
 * Zod 4 schemas have both. Source: the Standard Schema specification, `~standard` version 1.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { target: string }) => Record<string, unknown>;
      readonly output: (options: { target: string }) => Record<string, unknown>;
    };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A tool's `schema`: a Standard Schema (Zod and others), or a plain JSON Schema. */
export type ToolSchema = StandardSchema | JsonSchema;

/** The type of the parsed arguments. For a plain JSON Schema it is any object. */
export type SchemaOutput<Schema> =
  Schema extends StandardSchema<infer _Input, infer Output> ? Output : Readonly<Record<string, unknown>>;

/** Whether a schema implements Standard Schema. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}
