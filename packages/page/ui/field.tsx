import type { Signal } from "@preact/signals";
import type { Schema } from "./shapes.ts";

/** The texts that a person wrote into the fields, by name. Empty fields are not sent. */
export type Texts = Readonly<Record<string, string>>;

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly texts: Signal<Texts>;
}

/** Shows the field for one argument of a tool: a choice, a text, a number, or JSON. */
export function Field({ name, schema, required, texts }: FieldProps) {
  return (
    <label class="field">
      <span>
        <strong>{name}</strong> <small>{factsOf(schema, required)}</small>
        {schema.description !== undefined && <small class="about">{schema.description}</small>}
      </span>
      <Control name={name} schema={schema} required={required} texts={texts} />
    </label>
  );
}

function Control({ name, schema, required, texts }: FieldProps) {
  const value = texts.value[name] ?? "";
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) =>
    (texts.value = { ...texts.value, [name]: event.currentTarget.value });
  const choices = schema.enum ?? (schema.type === "boolean" ? [true, false] : undefined);
  if (choices !== undefined)
    return (
      <select value={value} onChange={onInput} required={required}>
        <option value="">not set</option>
        {choices.map((choice) => (
          <option value={textOfChoice(choice)}>{textOfChoice(choice)}</option>
        ))}
      </select>
    );
  const fallback = schema.default === undefined ? "" : JSON.stringify(schema.default);
  if (isNumber(schema))
    return (
      <input
        type="number"
        step={schema.type === "integer" ? 1 : "any"}
        value={value}
        required={required}
        placeholder={fallback}
        onInput={onInput}
        {...(schema.minimum !== undefined && { min: schema.minimum })}
        {...(schema.maximum !== undefined && { max: schema.maximum })}
      />
    );
  return (
    <textarea
      rows={schema.type === "string" ? 1 : 3}
      value={value}
      required={required && schema.type !== "string"}
      placeholder={schema.type === "string" ? fallback : fallback || "JSON"}
      onInput={onInput}
    />
  );
}

function factsOf({ type, default: fallback }: Schema, required: boolean): string {
  const facts = [
    typeof type === "string" ? type : (type?.join(" or ") ?? "JSON"),
    required ? "required" : "",
    fallback === undefined ? "" : `default ${JSON.stringify(fallback)}`,
  ];
  return facts.filter(Boolean).join(", ");
}

function isNumber({ type }: Schema): boolean {
  return type === "integer" || type === "number";
}

function textOfChoice(choice: unknown): string {
  return typeof choice === "string" ? choice : JSON.stringify(choice);
}

/** Turns the texts of fields into arguments. Throws a SyntaxError for a field that must be JSON and is not. */
export function argumentsOf(
  { properties = {}, required = [] }: Schema,
  texts: Texts,
): Record<string, unknown> {
  const given = Object.entries(properties).filter(
    ([name, { type }]) => (texts[name] ?? "") !== "" || (type === "string" && required.includes(name)),
  );
  return Object.fromEntries(given.map(([name, schema]) => [name, valueOf(name, schema, texts[name] ?? "")]));
}

function valueOf(name: string, schema: Schema, text: string): unknown {
  if (schema.type === "string" || schema.enum?.includes(text) === true) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new SyntaxError(`The field ${name} must be JSON: ${(cause as Error).message}`, { cause });
  }
}
