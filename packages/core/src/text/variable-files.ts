/** Files of variables without secrets, which a project shows to everybody. */
const examples = /\.(?:example|sample|template|dist)$/;

/** Whether a file of this name holds variables with secrets: `.env`, `.env.local`, `.envrc` and the like. */
export function holdsVariables(name: string): boolean {
  return name.startsWith(".env") && !examples.test(name);
}
