import type { Category, ConsequenceLevel } from "../contract/tool.ts";

/** What an MCP server states about one of its tools. Source: the tool annotations of MCP's specification. */
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

/** Words in a tool's name that say that it removes something permanently. */
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

/** Matches between words: `drop_table`, `dropTable` and `DBDrop2` contain the word "drop", but `dropbox` does not. */
const betweenWords = /[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

function isDestructive(name: string): boolean {
  return name.split(betweenWords).some((word) => destructiveWords.has(word.toLowerCase()));
}

/**
 * Classifies a tool by its name and by what its server states. A destructive name takes precedence over hints, because hints
 * come from the server, which is not trusted. A tool without hints stays unclassified.
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
