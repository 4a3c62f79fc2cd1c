import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolmountError, type Issue, type Json, type JsonSchema } from "@toolmount/core";

/** The form of an answer: a JSON Schema, and what reads an answer by it. */
export interface AnswerForm {
  readonly schema: JsonSchema;
  /** For models without structured output, which only read it. */
  readonly instructions: string;
  /** The value of an answer, or what is wrong with it. */
  read(text: string): { readonly value: Json } | { readonly problem: string };
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
    read(answer) {
      const value = parseJson(withoutFence(answer));
      if (value === undefined) return { problem: "it is not JSON" };
      const parsed = parse({ answer: value });
      if (parsed.ok) return { value: value as Json };
      return { problem: parsed.issues.map(sentenceOf).join("; ").slice(0, 1_000) };
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

/** Models like to write JSON between marks of Markdown. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}
