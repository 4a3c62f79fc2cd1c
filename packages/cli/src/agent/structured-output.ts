import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolmountError, type JsonSchema } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";

/** The JSON Schema that the model's answer must match. */
export interface AnswerForm {
  readonly schema: JsonSchema;
  /** The schema as text, for models that have no structured output and can only read it. */
  readonly instructions: string;
}

/** Reads the file with the schema of an answer. Throws `USAGE_INVALID` if it cannot be read or is not a valid schema. */
export async function readAnswerForm(file: string, cwd: string): Promise<AnswerForm> {
  const refuse = (problem: string, cause?: unknown): never => {
    throw new ToolmountError("USAGE_INVALID", { problem: `--schema ${file}: ${problem}` }, { cause });
  };
  const text = await readFile(resolve(cwd, file), "utf8").catch((cause: unknown) =>
    refuse("it cannot be read", cause),
  );
  const schema = parseJson(text);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return refuse("it is not a JSON Schema");
  const { createSchemaCompiler } = await import("@toolmount/interop");
  requireCompiled(() => createSchemaCompiler().compile(wrapped(schema as JsonSchema)), refuse);
  return {
    schema: schema as JsonSchema,
    instructions: `Answer with one JSON value that this JSON Schema accepts, and with nothing else:\n${JSON.stringify(schema)}`,
  };
}

/** Wraps a schema in an object, because the compiler accepts only schemas of objects and an answer may be any value. */
function wrapped({ $defs, definitions, $schema, ...schema }: JsonSchema): JsonSchema {
  const around = Object.fromEntries(
    Object.entries({ $defs, definitions, $schema }).filter(([, part]) => part !== undefined),
  );
  return { ...around, type: "object", properties: { answer: schema }, required: ["answer"] };
}

function requireCompiled(compile: () => void, refuse: (problem: string, cause: unknown) => never): void {
  try {
    compile();
  } catch (error) {
    refuse(messageOf(error), error);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
