import { scanDefinition, type DefinitionFindingKind } from "@toolmount/core/scan";
import { patternRule } from "./pattern-rule.ts";
import { problemOf, textsOf, type ToolRule } from "./tool-subject.ts";

/** The checks of all texts of a definition: a rule for each group of findings of the scan, and for the cost of patterns. */
export const textRules: readonly ToolRule[] = [
  scanned(
    "text_hidden",
    ["tags", "zero-width", "variation-selectors", "bidi", "ansi", "control"],
    "error",
    "people approve the text they see; models also read hidden characters",
    "remove the characters",
  ),
  scanned(
    "text_padding",
    ["padding"],
    "warning",
    "reviewers do not see text behind empty space",
    "remove the empty space",
  ),
  scanned(
    "text_too_long",
    ["too-long"],
    "warning",
    "a text of that length is not reviewed, and every request pays for it",
    "shorten it",
  ),
  scanned(
    "text_injection",
    ["injection"],
    "warning",
    "a definition describes a tool; it does not instruct the model",
    "describe the tool, and remove instructions about anything else",
  ),
  scanned(
    "text_secret",
    ["secret"],
    "error",
    "a definition is sent to every model and written to every log",
    "remove the secret, and revoke it",
  ),
  scanned(
    "name_lookalike",
    ["name"],
    "warning",
    "a name that looks like another one is mistaken for it",
    "use plain ASCII letters, and no name that every object has",
  ),
  scanned(
    "schema_ref",
    ["ref"],
    "error",
    "a schema must be complete: the host fetches no part of it",
    "move the referenced schema to $defs",
  ),
  patternRule,
];

/** Makes a rule about some kinds of findings in the scan of a definition. */
function scanned(
  id: string,
  kinds: readonly DefinitionFindingKind[],
  severity: "error" | "warning",
  why: string,
  fix: string,
): ToolRule {
  return {
    id,
    severity,
    why,
    fix,
    *check(subject) {
      for (const { kind, path, message, excerpt } of scanDefinition(textsOf(subject))) {
        // The host refused the tool because of its name, and another rule reports that.
        if (kind === "name" && path === "name" && subject.refused !== null) continue;
        if (kinds.includes(kind) && excerpt !== "")
          yield problemOf(subject, path, `${message}: "${excerpt}"`);
      }
    },
  };
}
