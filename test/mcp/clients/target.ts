/** What a client is pointed at: a program to start, or an address. */
export interface Target {
  readonly stdio?: { readonly command: string; readonly args: readonly string[]; readonly cwd: string };
  readonly url?: string;
  /** What the client calls, in this order. */
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** Reads what the test asks for. */
export function readTarget(): Target {
  return JSON.parse(process.argv.at(-1) ?? "{}") as Target;
}

/**
 * Makes the calls that the test asks for, and reports which tools the client has seen and what each call gave: the answer,
 * or the error that the client made of it. Then it ends the process, whatever is still open.
 */
export async function report(
  tools: readonly string[],
  call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>,
): Promise<never> {
  const answers: string[] = [];
  for (const { tool, arguments: args } of readTarget().calls)
    answers.push(await call(tool, args).then(JSON.stringify, (error: unknown) => `thrown: ${String(error)}`));
  process.stdout.write(`\n${JSON.stringify({ tools: tools.toSorted(), answers })}\n`, () => process.exit(0));
  return undefined as never;
}
