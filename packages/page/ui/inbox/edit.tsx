import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { argumentsOf, Field, type Texts } from "../field.tsx";
import type { Approval } from "../shapes.ts";
import type { Decision } from "./decision.ts";
import { toolOf } from "./shown.ts";

interface EditProps {
  readonly approval: Approval;
  readonly busy: Signal<boolean>;
  readonly decide: (event: Event, decision: Decision) => Promise<void>;
  readonly close: () => void;
}

/** Shows the arguments as fields. Sending them approves this one call, with the values of the fields. */
export function Edit({ approval, busy, decide, close }: EditProps) {
  const { arguments: given, tool: name } = approval;
  const schema = toolOf(approval)?.inputSchema ?? {};
  const texts = useSignal<Texts>(
    Object.fromEntries(Object.entries(given).map(([key, value]) => [key, textOf(value)])),
  );
  const problem = useSignal("");
  const place = useRef<HTMLFormElement>(null);
  useEffect(() => place.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(), []);
  const known = schema.properties ?? {};
  const others = Object.keys(given).filter((key) => !(key in known));
  const properties = { ...known, ...Object.fromEntries(others.map((key) => [key, schemaOf(given[key])])) };
  const send = (event: Event) => {
    try {
      const edited = argumentsOf({ ...schema, properties }, texts.value);
      problem.value = "";
      void decide(event, { decision: "approve", arguments: edited });
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <form
      ref={place}
      class="edit"
      aria-label={`Arguments of ${name}`}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      {Object.entries(properties).map(([key, value]) => (
        <Field
          key={key}
          name={key}
          schema={value}
          required={schema.required?.includes(key) ?? false}
          texts={texts}
        />
      ))}
      <p class="facts">
        The tool and the plan judge them again, and the model reads what you changed. A value that you leave
        as it is stays the call's own, also where it is masked.
      </p>
      <p role="alert" class="origin">
        {problem.value}
      </p>
      <div class="actions">
        <button type="submit" class="go" disabled={busy} onClick={send}>
          Approve with these arguments
        </button>
        <button type="button" onClick={close}>
          Back
        </button>
      </div>
    </form>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function schemaOf(value: unknown) {
  return { type: typeof value === "string" ? "string" : "object" };
}
