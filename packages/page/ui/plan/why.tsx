import { useSignal, useSignalEffect } from "@preact/signals";
import { ask } from "../api.ts";
import { placeText } from "./place.ts";
import type { Explanation } from "../shapes.ts";
import { hostPath, textOf, tools } from "../state.ts";

/** Shows the lines of the plan that configure a tool, and what decides about its calls. */
export function Why({ tool }: { readonly tool: string }) {
  const found = useSignal<Explanation | string>("Reading…");
  useSignalEffect(() => {
    void ask<Explanation>("POST", `${hostPath.value}/why`, { tool }).then(
      (value) => (found.value = value),
      (error: unknown) => (found.value = textOf(error)),
    );
  });
  const confirms = tools.value.find(({ name }) => name === tool)?.requiresConfirmation ?? false;
  return (
    <section aria-label={`Why ${tool}`}>
      <h2>Why {tool} is as it is</h2>
      {typeof found.value === "string" ? <p>{found.value}</p> : <Lines explanation={found.value} />}
      {confirms !== false && (
        <p>
          The tool itself asks for confirmation
          {confirms === "dynamic" && ", depending on its arguments"}.
        </p>
      )}
    </section>
  );
}

function Lines({ explanation }: { readonly explanation: Explanation }) {
  const all = explanation.tools;
  if (all.every(({ origins, answers }) => origins.length + answers.length === 0))
    return <p>No line of the plan says anything about it.</p>;
  return (
    <>
      {all.map(({ origins, answers }, at) => (
        <ul key={at}>
          {origins.map(({ what, value, position }) => (
            <li>
              {what}: {typeof value === "string" ? value : JSON.stringify(value)}
              {position !== undefined && <code> {placeText(position)}</code>}
            </li>
          ))}
          {answers.map(({ policy, answer }) => (
            <li>
              decides: {answer.answer} <code>{answer.rule ?? policy}</code> {answer.reason}
            </li>
          ))}
        </ul>
      ))}
    </>
  );
}
