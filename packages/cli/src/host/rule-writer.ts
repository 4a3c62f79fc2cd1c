import type { ApprovalQuestion } from "@toolmount/core";
import type { OpenedHost } from "@toolmount/loader";
import { shortPath } from "../render/problems.ts";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { changeLines } from "../render/change-lines.ts";
import { askWhether } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";

/** Writes an `allow` line into the plan after a question, so that similar calls are no longer asked about. */
export interface RuleWriter {
  /** Sets the host whose plan gets the lines. Before this, no line is offered. */
  opened(host: OpenedHost): void;
  /** Tests whether an `allow` line would end the question: only the tool itself or its level asks, and the plan is a file. */
  fits(question: ApprovalQuestion): boolean;
  /** Asks for which calls and into which file, shows the change and writes it. Resolves to false if nothing was written. */
  write(question: ApprovalQuestion, at: AtTerminal): Promise<boolean>;
}

interface AtTerminal {
  readonly screen: Screen;
  readonly terminal: NonNullable<Shell["terminal"]>;
  readonly signal: AbortSignal;
}

/** Creates the writer for one command. A written line applies from the next call on. */
export function createRuleWriter(cwd: string): RuleWriter {
  let host: OpenedHost | undefined;
  return {
    opened: (opened) => void (host = opened),
    fits: ({ reasons }) =>
      (host?.plan.files.length ?? 0) > 0 &&
      reasons.every(({ source }) => source === "confirmation" || source === "level"),
    async write(question, { screen, terminal, signal }) {
      if (host === undefined) return false;
      const { isCancel, select } = await import("@clack/prompts");
      const common = { ...terminal, signal };
      const lines = linesFor(question);
      const line = await select<string>({
        ...common,
        message: "Never ask again about which calls?",
        options: lines.map((value) => ({ value, label: printable(value) })),
      });
      if (isCancel(line)) return false;
      const [only, ...others] = host.plan.files.toReversed();
      const options = [only!, ...others].map((value) => ({ value, label: printable(shortPath(value, cwd)) }));
      const message = "Into which file?";
      const file = others.length === 0 ? only! : await select<string>({ ...common, message, options });
      if (isCancel(file)) return false;
      const { planPolicyRules } = await import("../edit/edit-plan.ts");
      const edit = await planPolicyRules(file, { allow: [line] }, { cwd });
      for (const text of changeLines(edit.before, edit.after, screen)) screen.line(text);
      const agreed = await askWhether(screen, terminal, {
        signal,
        message: `Write this to ${printable(shortPath(file, cwd))}?`,
      });
      if (agreed !== true) return false;
      await edit.save();
      await host.reload();
      return true;
    },
  };
}

/** Returns lines of the list `allow` that match the call, the narrowest first. */
function linesFor({ tool, arguments: given }: ApprovalQuestion): readonly string[] {
  const { properties = {}, required = [] } = tool.inputSchema as {
    readonly properties?: object;
    readonly required?: readonly string[];
  };
  // A pattern is compared with the first required argument or, if no argument is required, with the first one.
  const value = given[required[0] ?? Object.keys(properties)[0] ?? ""];
  // At the beginning of a pattern, `!` would mean "not", and `<` or `>` a comparison.
  const isPlain =
    typeof value === "string" && /^(?![!<>])[^*?\n\r]{1,200}$/.test(value) && value.trim() !== "";
  if (!isPlain) return [tool.name];
  const words = value.trim().split(/\s+/);
  const begin = words.length > 2 ? [`${tool.name}(${words.slice(0, 2).join(" ")} *)`] : [];
  // A pattern such as "path: x" would mean the argument `path`.
  const exact = /^[A-Za-z_][\w-]*: /.test(value) ? [] : [`${tool.name}(${value})`];
  return [...exact, ...begin, tool.name];
}
