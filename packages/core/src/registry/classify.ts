import type { Category, ConsequenceLevel } from "../contract/tool.ts";

/** What a server of MCP says of one of its tools. Source: the tool annotations of MCP's specification. */
interface ServerHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** How a mounted tool is classified. */
export interface Classification {
  readonly category?: Category | undefined;
  readonly consequenceLevel?: ConsequenceLevel | undefined;
  readonly requiresConfirmation?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
}

/** Words of a tool's name that say it takes something away for good. */
const destructiveWords = new Set([
  "delete",
  "remove",
  "drop",
  "destroy",
  "purge",
  "wipe",
  "erase",
  "truncate",
  "uninstall",
]);

/** Between the words of a name: `drop_table`, `dropTable` and `DBDrop2` have the word "drop", `dropbox` has not. */
const betweenWords = /[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

function isDestructive(name: string): boolean {
  return name.split(betweenWords).some((word) => destructiveWords.has(word.toLowerCase()));
}

/**
 * Classifies a tool by its name and by what its server says of it. A name that deletes counts more than a hint: hints
 * come from the server, which is not trusted. A tool that says nothing stays unclassified.
 */
export function classify(name: string, annotations: ServerHints | undefined): Classification {
  if (isDestructive(name))
    return {
      category: "delete",
      consequenceLevel: "high",
      requiresConfirmation: true,
      ...idempotence(annotations),
    };
  if (annotations === undefined) return {};
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  if (readOnlyHint === true) return { category: "read", consequenceLevel: "low", idempotent: true };
  if (destructiveHint === true)
    return {
      category: "delete",
      consequenceLevel: "high",
      requiresConfirmation: true,
      ...idempotence(annotations),
    };
  if (destructiveHint === undefined && openWorldHint === undefined) return { ...idempotence(annotations) };
  const category = openWorldHint === true ? "side_effect" : "write";
  return { category, consequenceLevel: "medium", ...idempotence(annotations) };
}

function idempotence(annotations: ServerHints | undefined): Classification {
  return annotations?.idempotentHint === true ? { idempotent: true } : {};
}
