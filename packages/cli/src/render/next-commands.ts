import type { ToolOutcome } from "@toolmount/core";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";

/** Shows the commands to type after a pending call: answer it, then resume it. */
export function writeNextCommands(
  screen: Screen,
  { ticket }: ToolOutcome,
  place: {
    readonly plan: string | undefined;
    readonly session?: string | undefined;
    readonly user?: string | undefined;
  },
): void {
  if (ticket === undefined) return;
  const { plan, session, user } = place;
  const line = (label: string, words: readonly (string | undefined)[]) => {
    const command = words
      .filter((word) => word !== undefined)
      .map(quoted)
      .join(" ");
    screen.line(`${label} ${screen.paint("cyan", `toolmount ${command}`)}`);
  };
  line("answer it:", ["approvals", "list", plan]);
  line("then:     ", [
    "resume",
    ticket,
    plan,
    ...(session === undefined ? [] : ["--session", session]),
    ...(user === undefined ? [] : ["--user", user]),
  ]);
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  const shown = printable(word);
  return /^[\w./:@=-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
