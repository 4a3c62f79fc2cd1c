import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolmountError, type Issue, type JsonSchema } from "@toolmount/core";

/** The form of an answer: a JSON Schema, and what finds the problems of an answer. */
export interface AnswerForm {
  readonly schema: JsonSchema;
  /** For models without structured output, which only read it. */
  readonly instructions: string;
  /** What is wrong with an answer; undefined for one that fits, and for no answer. */
  problemOf(text: string): string | undefined;
}

/** Reads the file of a schema. Throws `USAGE_INVALID`. */
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
  const parse = compile(() => createSchemaCompiler().compile(wrapped(schema as JsonSchema)), refuse);
  return {
    schema: schema as JsonSchema,
    instructions: `Answer with one JSON value that this JSON Schema accepts, and with nothing else:\n${JSON.stringify(schema)}`,
    problemOf(answer) {
      if (answer.trim() === "") return undefined;
      const value = parseJson(answer);
      if (value === undefined) return "it is not JSON";
      const parsed = parse({ answer: value });
      return parsed.ok ? undefined : parsed.issues.map(sentenceOf).join("; ").slice(0, 1_000);
    },
  };
}

/** An issue of the answer, without the object around it. */
function sentenceOf({ path, message }: Issue): string {
  const place = path.slice(1).join(".");
  const said = message.replace(/^answer[.:]?/, "").trim();
  return place === "" || said.includes(place) ? said : `${place}: ${said}`;
}

/** The compiler takes schemas of objects; an answer may be any value. */
function wrapped({ $defs, definitions, $schema, ...schema }: JsonSchema): JsonSchema {
  const around = Object.fromEntries(
    Object.entries({ $defs, definitions, $schema }).filter(([, part]) => part !== undefined),
  );
  return { ...around, type: "object", properties: { answer: schema }, required: ["answer"] };
}

function compile<Value>(make: () => Value, refuse: (problem: string, cause: unknown) => never): Value {
  try {
    return make();
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), error);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
