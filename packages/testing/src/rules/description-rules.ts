import { isNative, problemOf, type ToolRule } from "./tool-subject.ts";

/** Matches words that exclude a case, or name the tool for other cases: "; to find notes, use search_notes". */
const excludes =
  /\b(?:not|never|instead|only|rather|unless|without|no|cannot|except)\b|n't\b|[;,] (?:to|for|when)\b[^.;]*\buse\b|;[^.]*\w_\w/i;

/** The checks of names and descriptions. */
export const descriptionRules: readonly ToolRule[] = [
  {
    id: "name_grammar",
    severity: "warning",
    why: "providers accept letters, digits, _ and - only, at most 64",
    fix: "rename it; otherwise some providers see it under another name",
    *check(subject) {
      if (subject.info !== null && !/^[a-zA-Z0-9_-]{1,64}$/.test(subject.name))
        yield problemOf(
          subject,
          "name",
          `"${subject.name}" has characters that providers refuse, or too many`,
        );
    },
  },
  {
    id: "name_snake_case",
    severity: "warning",
    why: "one style of names is easier to remember than two",
    fix: "write it in lower snake case",
    *check(subject) {
      const { name, info } = subject;
      if (info !== null && /^[a-zA-Z0-9_-]{1,64}$/.test(name) && !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
        yield problemOf(subject, "name", `"${name}" is not lower snake case`);
    },
  },
  {
    id: "description_length",
    severity: "warning",
    why: "every request pays for every description",
    fix: "use one or two sentences, and move the rest to usage",
    *check(subject) {
      const { description = "" } = subject.info ?? {};
      const sentences = description.split(/(?<=[.!?])\s+(?=[A-Z])/).length;
      if (isNative(subject) && (sentences > 3 || description.length > 500))
        yield problemOf(
          subject,
          "description",
          `it has ${sentences} sentences and ${description.length} characters`,
        );
    },
  },
  {
    id: "description_when",
    severity: "warning",
    why: "a model decides by the description alone whether to call a tool",
    fix: 'say when to use it: "Use when …"',
    *check(subject) {
      if (
        isNative(subject) &&
        !/\b(?:use|used|call|when|whenever|if|for|after|before)\b/i.test(subject.info!.description)
      )
        yield problemOf(subject, "description", "it does not say when to use the tool");
    },
  },
  {
    id: "description_when_not",
    severity: "warning",
    why: "half of the wrong calls go to a tool that was almost right",
    fix: 'say when not to use it, or which tool to use instead: "…; to find notes, use search_notes instead"',
    *check(subject) {
      if (isNative(subject) && !excludes.test(subject.info!.description))
        yield problemOf(subject, "description", "it does not say when not to use the tool");
    },
  },
];
