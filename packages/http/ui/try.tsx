import { useSignal, type Signal } from "@preact/signals";
import { ask } from "./api.ts";
import { Missing, useLoaded } from "./load.tsx";
import type { Schema, Tool } from "./shapes.ts";
import { hostPath, textOf } from "./state.ts";
import { Value } from "./value.tsx";

/** A form for each tool, made from its schema, and the outcome of the call. */
export function TryView() {
  const loaded = useLoaded<{ tools: readonly Tool[] }>("/tools");
  const chosen = useSignal("");
  if (loaded.value === null || "problem" in loaded.value) return <Missing loaded={loaded.value} />;
  const { tools } = loaded.value.value;
  const tool = tools.find(({ name }) => name === chosen.value) ?? tools[0];
  if (tool === undefined) return <p>This host offers no tool.</p>;
  return (
    <>
      <label>
        Tool{" "}
        <select value={tool.name} onChange={(event) => (chosen.value = event.currentTarget.value)}>
          {tools.map(({ name }) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
      <p>{tool.description}</p>
      <p class="facts">
        {tool.category ?? "unclassified"} · consequence {tool.consequenceLevel ?? "unknown"}
        {tool.requiresConfirmation !== false && " · asks a person first"}
      </p>
      <Form key={tool.name} tool={tool} />
    </>
  );
}

/** What a person wrote into the fields, as text; a field without text is not sent. */
type Texts = Readonly<Record<string, string>>;

function Form({ tool }: { readonly tool: Tool }) {
  const texts = useSignal<Texts>({});
  const outcome = useSignal<unknown>(undefined);
  const problem = useSignal("");
  const busy = useSignal(false);
  const run = async () => {
    problem.value = "";
    busy.value = true;
    try {
      const given = argumentsOf(tool.inputSchema, texts.value);
      outcome.value = await ask("POST", `${hostPath.value}/calls`, { tool: tool.name, arguments: given });
    } catch (error) {
      problem.value = error instanceof SyntaxError ? `A field is not JSON: ${error.message}` : textOf(error);
    }
    busy.value = false;
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {Object.entries(tool.inputSchema.properties ?? {}).map(([name, schema]) => (
        <Field
          name={name}
          schema={schema}
          required={tool.inputSchema.required?.includes(name) ?? false}
          texts={texts}
        />
      ))}
      <button type="submit" disabled={busy}>
        Call {tool.name}
      </button>
      {problem.value !== "" && <p class="problem">{problem.value}</p>}
      {outcome.value !== undefined && (
        <>
          <h2>Outcome</h2>
          <Value value={outcome.value} />
        </>
      )}
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly texts: Signal<Texts>;
}

function Field({ name, schema, required, texts }: FieldProps) {
  const set = (text: string) => (texts.value = { ...texts.value, [name]: text });
  const value = texts.value[name] ?? "";
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) =>
    set(event.currentTarget.value);
  const choices = schema.enum ?? (schema.type === "boolean" ? [true, false] : undefined);
  return (
    <label class="field">
      <span>
        {name}
        {required && " (required)"} <small>{schema.description}</small>
      </span>
      {choices !== undefined ? (
        <select value={value} onChange={onInput}>
          <option value="">not set</option>
          {choices.map((choice) => (
            <option value={textOfChoice(choice)}>{textOfChoice(choice)}</option>
          ))}
        </select>
      ) : schema.type === "string" ? (
        <textarea rows={1} value={value} onInput={onInput} />
      ) : (
        <input
          value={value}
          onInput={onInput}
          inputMode={schema.type === "integer" ? "numeric" : "text"}
          placeholder={schema.default === undefined ? "JSON" : JSON.stringify(schema.default)}
        />
      )}
    </label>
  );
}

function textOfChoice(choice: unknown): string {
  return typeof choice === "string" ? choice : JSON.stringify(choice);
}

/** Texts of fields as arguments. Throws a SyntaxError for a field that must be JSON and is not. */
function argumentsOf({ properties = {} }: Schema, texts: Texts): Record<string, unknown> {
  const given = Object.entries(texts).filter(([, text]) => text !== "");
  return Object.fromEntries(
    given.map(([name, text]) => {
      const schema = properties[name];
      const isText = schema?.type === "string" || (schema?.enum?.includes(text) ?? false);
      return [name, isText ? text : (JSON.parse(text) as unknown)];
    }),
  );
}
