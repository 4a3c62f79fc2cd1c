import { isToolmountError, messageOf, ToolmountError } from "@toolmount/core/errors";
import type { LocalServer } from "@toolmount/interop/internal";
import type { Command } from "commander";
import { describeLack, examineProviders, type KnownProvider } from "../../host/model-providers.ts";
import { addExamples, jsonOption } from "../../options/common.ts";
import { exitCodes, type ExitCode } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { printable } from "../../screen/printable.ts";
import { writeTable } from "../../screen/table.ts";

interface Options {
  readonly json?: true;
}

interface Listed extends Options {
  readonly keyVariable: string | undefined;
}

/** `toolmount doctor models [server] [variable]`: lists the providers of models, or the models of one server. */
export function define(command: Command, shell: Shell): void {
  command
    .argument("[server]", "a provider with a server, such as ollama, or a server's URL: lists its models")
    .argument("[variable]", "the environment variable with the key of the server")
    .option(...jsonOption)
    .action(async (server: string | undefined, variable: string | undefined, options: Options) => {
      if (server === undefined) return shell.end(await listProviders(options, shell));
      shell.end(await listModels(server, { ...options, keyVariable: variable }, shell));
    });
  addExamples(command, [
    "toolmount doctor models ollama",
    "toolmount doctor models https://models.example.com/v1 MY_KEY",
  ]);
}

async function listProviders({ json }: Options, shell: Shell): Promise<ExitCode> {
  const known = await examineProviders(shell.settings.plan, shell);
  const local = known.flatMap((provider) => provider.local ?? []);
  if (json === true) shell.out.json({ providers: known.map(({ local: _, ...provider }) => provider), local });
  else {
    writeProviders(known, shell);
    writeLocal(local, shell);
  }
  return exitCodes.done;
}

/** Writes the models of servers that run on this machine, with the names that a plan and `--model` accept. */
function writeLocal(local: readonly LocalServer[], { out }: Shell): void {
  if (local.length === 0) return;
  out.line();
  out.line("running on this machine:");
  for (const { provider, baseUrl, models } of local)
    for (const model of models)
      out.line(`  ${printable(`${provider}:${model}`)}  ${out.paint("dim", baseUrl)}`);
}

function writeProviders(providers: readonly KnownProvider[], { out }: Shell): void {
  const keyOf = ({ keyVariable, hasKey }: KnownProvider) =>
    keyVariable === null ? "none needed" : `${keyVariable} ${hasKey ? "set" : "missing"}`;
  writeTable(
    out,
    [
      { title: "provider", cell: ({ name }) => name },
      { title: "in a plan", cell: ({ model }) => `model: ${model}` },
      {
        title: "package",
        cell: (row) => (row.problem !== null ? "broken" : row.isInstalled ? "installed" : "missing"),
      },
      { title: "key", cell: keyOf },
      { title: "what to do", cell: describeLack },
    ],
    providers,
  );
}

async function listModels(server: string, options: Listed, shell: Shell): Promise<ExitCode> {
  const [{ listServerModels }, { modelError }] = await Promise.all([
    import("@toolmount/interop/internal"),
    import("@toolmount/interop"),
  ]);
  const { baseUrl, apiKey } = await findServer(server, options, shell);
  try {
    const models = await listServerModels(baseUrl, { apiKey });
    if (options.json === true) shell.out.json({ baseUrl, models });
    else for (const model of models) shell.out.line(printable(model));
    return exitCodes.done;
  } catch (cause) {
    if (isToolmountError(cause)) throw cause;
    const problem = `the models of ${baseUrl} could not be listed: ${reasonOf(cause)}; start the server, or name another URL`;
    throw modelError({ kind: "network", problem, provider: server, model: "" }, cause);
  }
}

/** Returns why a request failed. The message of Node's error is only "fetch failed"; its cause has the reason. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return messageOf(cause instanceof Error && cause.message !== "" ? cause : error);
}

async function findServer(
  server: string,
  { keyVariable }: Listed,
  shell: Shell,
): Promise<{ readonly baseUrl: string; readonly apiKey: string | undefined }> {
  const keyOf = (name: string | null | undefined) => (name ? shell.env[name] || undefined : undefined);
  if (/^https?:\/\//.test(server)) return { baseUrl: server, apiKey: keyOf(keyVariable) };
  const providers = await examineProviders(shell.settings.plan, shell);
  const known = providers.find(({ name }) => name === server);
  if (known !== undefined && known.baseUrl !== null)
    return { baseUrl: known.baseUrl, apiKey: keyOf(keyVariable ?? known.keyVariable) };
  const listed = providers.flatMap(({ name, baseUrl }) => (baseUrl === null ? [] : [name])).join(", ");
  const problem = `"${server}" is not a provider whose models can be listed; name one of ${listed}, or a URL such as http://127.0.0.1:8080/v1`;
  throw new ToolmountError("USAGE_INVALID", { problem });
}
