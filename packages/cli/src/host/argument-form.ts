import { refusalOf } from "@toolmount/core/json";
import type { Json, JsonObject, JsonSchema } from "@toolmount/core";
import { fitText } from "../options/call-text.ts";
import { askWhether, type QuestionTerminal } from "../process/choose.ts";
import { argumentRows } from "../render/arguments.ts";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

interface At {
  readonly screen: Screen;
  readonly terminal: QuestionTerminal;
  readonly signal: AbortSignal;
}

/** Returns the names of those required arguments that `given` does not have. */
export function missingArguments(schema: JsonSchema, given: JsonObject): string[] {
  return argumentRows(schema).flatMap(({ name, required }) =>
    required && !Object.hasOwn(given, name) ? [name] : [],
  );
}

/** Asks the person at the terminal for arguments, one after the other. Returns null after Ctrl-C. */
export async function askArguments(
  schema: JsonSchema,
  names: readonly string[],
  { screen, terminal, signal }: At,
): Promise<JsonObject | null> {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  const rows = new Map(argumentRows(schema).map((row) => [row.name, row]));
  const given: [string, Json][] = [];
  for (const name of names) {
    const { type = "", text = "" } = rows.get(name) ?? {};
    const message = printable(`${name} (${type})${text === "" ? "" : `: ${text}`}`);
    const value = await askOne(properties[name] ?? {}, message, { screen, terminal, signal });
    if (value === null) return null;
    given.push([name, value.value]);
  }
  return Object.fromEntries(given);
}

async function askOne(
  schema: JsonSchema,
  message: string,
  { screen, terminal, signal }: At,
): Promise<{ readonly value: Json } | null> {
  const asking = { ...terminal, signal, message };
  const { isCancel, select, text } = await import("@clack/prompts");
  const { enum: values, type } = schema as { readonly enum?: readonly Json[]; readonly type?: unknown };
  if (values !== undefined) {
    const options = values.map((value, at) => ({
      value: at,
      label: typeof value === "string" ? value : JSON.stringify(value),
    }));
    const at = await select<number>({ ...asking, options });
    return isCancel(at) ? null : { value: values[at]! };
  }
  if (type === "boolean") {
    const answer = await askWhether(screen, terminal, { signal, message });
    return answer === undefined ? null : { value: answer };
  }
  const isWritten = type === "array" || type === "object";
  const answer = await text({
    ...asking,
    ...(isWritten && { placeholder: "JSON" }),
    validate: checkOf(schema),
  });
  return isCancel(answer) ? null : { value: valueOf(answer ?? "", schema) };
}

function checkOf(schema: JsonSchema): (written: string | undefined) => string | undefined {
  return (written = "") => {
    const { type } = schema;
    const value = valueOf(written, schema);
    if ((type === "number" || type === "integer") && typeof value !== "number") return "Write a number.";
    if ((type === "array" || type === "object") && typeof value !== "object") return "Write JSON.";
    return undefined;
  };
}

function valueOf(written: string, schema: JsonSchema): Json {
  if (schema["type"] !== "array" && schema["type"] !== "object") return fitText(written, schema);
  try {
    return refusalOf(written) === null ? (JSON.parse(written) as Json) : written;
  } catch {
    return written;
  }
}
