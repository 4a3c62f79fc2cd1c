import { placeText } from "./place.ts";
import type { Problem } from "../shapes.ts";

/** Shows the problems of a plan, each with its place, the lines of the plan, and a hint. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <>
      {problems.map(({ code, message, file, line, frame, hint }) => (
        <div class="problem">
          <p>
            {code}: {message}
            {file !== undefined && <code> {placeText({ file, line: line ?? 1 })}</code>}
          </p>
          {frame !== undefined && (
            <pre class="value" tabIndex={0} role="group" aria-label="Lines of the plan">
              {frame}
            </pre>
          )}
          {hint !== undefined && <p>{hint}</p>}
        </div>
      ))}
    </>
  );
}
