/** What a client is pointed at: a program to start, or an address. */
export interface Target {
  readonly stdio?: { readonly command: string; readonly args: readonly string[]; readonly cwd: string };
  readonly url?: string;
}

/** Reads what the test asks for. */
export function readTarget(): Target {
  return JSON.parse(process.argv.at(-1) ?? "{}") as Target;
}

/** Reports to the test which tools the client has seen, and what it was answered; then ends, whatever is still open. */
export function tell(tools: readonly string[], answer: unknown): never {
  process.stdout.write(
    `\n${JSON.stringify({ tools: tools.toSorted(), answer: JSON.stringify(answer) })}\n`,
    () => process.exit(0),
  );
  return undefined as never;
}
