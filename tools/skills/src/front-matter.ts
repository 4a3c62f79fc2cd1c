import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";

/** Checks front matter with the limits of https://agentskills.io/specification. Other keys are kept as they are. */
const schema = z.looseObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "has lower-case letters and digits, with single hyphens between them"),
  description: z.string().regex(/\S/, "is empty").max(1024),
  compatibility: z.string().max(500).optional(),
  license: z.string().optional(),
  metadata: z.record(z.string(), z.json()).optional(),
  "allowed-tools": z.union([z.string(), z.array(z.string())]).optional(),
});

/** The front matter of a SKILL.md, as JSON. */
export type FrontMatter = z.output<typeof schema>;

/** Reads the YAML between the first two `---` lines of a SKILL.md. Throws for missing lines, invalid YAML or invalid values. */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.split(/\r?\n/);
  const end = lines.indexOf("---", 1);
  if (lines[0] !== "---" || end === -1)
    throw new Error('it does not begin with a front matter between two lines "---"');
  const counter = new LineCounter();
  const document = parseDocument(lines.slice(1, end).join("\n"), {
    schema: "core",
    lineCounter: counter,
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error !== undefined)
    throw new Error(
      `line ${counter.linePos(error.pos[0]).line + 1}: ${error.message}; a text with ": " needs quotes`,
    );
  const parsed = schema.safeParse(document.toJS({ maxAliasCount: 0 }));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "it"}: ${message}`);
  throw new Error(`its front matter is invalid: ${problems.join("; ")}`);
}

/**
 * Returns the tools that `allowed-tools` names, separated by spaces or commas. Brackets, as in `Bash(git:*)`, contain rules of
 * other hosts and are ignored.
 */
export function allowedTools({ "allowed-tools": allowed = [] }: FrontMatter): readonly string[] {
  const text = typeof allowed === "string" ? allowed : allowed.join(" ");
  return [...new Set(text.replaceAll(/\([^)]*\)/g, " ").split(/[\s,]+/))].filter((name) => name !== "");
}
