import type { Role, TokenRecord } from "@toolmount/http";
import { InvalidArgumentError, type Command } from "commander";
import { openPlan } from "../../host/open-plan.ts";
import { fileOfTokens, inState, tokensInState, type TokenPlace } from "../../http/token-place.ts";
import { addExamples, collect, jsonOption } from "../../options/common.ts";
import { exitCodes } from "../../process/exit-codes.ts";
import type { Shell } from "../../process/shell.ts";
import { usageError } from "../../process/usage-error.ts";
import { printable } from "../../screen/printable.ts";
import { writeTable } from "../../screen/table.ts";

interface Options {
  readonly json?: true;
  readonly role?: readonly string[];
  readonly user?: string;
  readonly host?: readonly string[];
  readonly print?: true;
  readonly fromEnv?: string;
}

const file = "/home/ana/.config/toolmount/tokens.json";

/** `toolmount serve tokens list|add|remove <file>`: manages the hashed tokens of a server over HTTP. */
export function define(command: Command, shell: Shell): void {
  const add = (name: string, summary: string) =>
    command
      .command(name, { isDefault: name === "list" })
      .summary(summary)
      .description(`${summary}.`)
      .argument("<file>", "the file of tokens; state: in the plan's Postgres, for every server of it")
      .option(...jsonOption);

  add("list", "List the tokens of a file: their names, users and roles").action(
    (path: string, options: Options) => withPlace(path, shell, (place) => list(place, options, shell)),
  );
  add("add", "Add a token to a file, and show it once; the file is created when it is not there")
    .argument("<name>", "who has the token: recorded with each decision")
    .option("--role <role>", "call, approve or admin; may be given again; default: call", collectNames)
    .option("--user <id>", "the only user on whose behalf it calls; default: each request names its user")
    .option("--host <name>", "a host that it may use; may be given again; default: all", collectNames)
    .option("--print", "write the token alone to standard output, for a program that keeps secrets")
    .option("--from-env <variable>", "add the token that this variable has, in place of a new one")
    .action((path: string, name: string, options: Options) =>
      withPlace(path, shell, (place) => addToken(place, name, options, shell)),
    );
  add("remove", "Remove a token from a file; within 2 s it ends at every server that reads the file")
    .argument("<name>", "the name of the token")
    .action((path: string, name: string, options: Options) =>
      withPlace(path, shell, (place) => remove(place, name, options, shell)),
    );
  addExamples(command, [
    `toolmount serve tokens list ${file}`,
    `toolmount serve tokens add ${file} ops --role call --role approve --role admin`,
    `toolmount serve tokens add ${file} ana --user ana`,
    `toolmount serve tokens add ${file} agent --from-env AGENT_TOKEN`,
    `toolmount serve tokens remove ${file} ana`,
  ]);
}

function collectNames(value: string, before?: readonly string[]): readonly string[] {
  if (value === "") throw new InvalidArgumentError("It is empty.");
  return collect(value, before);
}

async function withPlace(
  path: string,
  shell: Shell,
  act: (place: TokenPlace) => Promise<void>,
): Promise<void> {
  if (path !== inState) return act(fileOfTokens(path, shell.cwd));
  const host = await openPlan(shell.settings.plan, {}, shell);
  try {
    await act(tokensInState(host));
  } finally {
    await host.close();
  }
}

async function list(place: TokenPlace, { json }: Options, shell: Shell): Promise<void> {
  const tokens = await readThere(place);
  const shown = tokens.map(({ sha256: _, ...facts }) => facts);
  if (json === true) shell.out.json({ tokens: shown });
  else
    writeTable(
      shell.out,
      [
        { title: "NAME", cell: ({ name }) => printable(name) },
        { title: "USER", cell: ({ user }) => printable(user ?? "any") },
        { title: "HOSTS", cell: ({ hosts }) => printable(hosts?.join(", ") ?? "all") },
        { title: "ROLES", cell: ({ roles }) => roles.join(", ") },
      ],
      shown,
    );
  shell.end(exitCodes.done);
}

async function addToken(place: TokenPlace, name: string, options: Options, shell: Shell): Promise<void> {
  const { createToken, hashToken } = await import("@toolmount/http");
  const { print, fromEnv } = options;
  if (shell.terminal === undefined && print === undefined && fromEnv === undefined)
    throw usageError(
      "a new token is shown at a terminal, and this process has none; --print writes it to standard output, and --from-env takes it from a variable",
    );
  const tokens = (await place.read()) ?? [];
  if (tokens.some((one) => one.name === name))
    throw usageError(
      `the file has a token named ${JSON.stringify(name)}; remove it first, or choose another name`,
    );
  const token = fromEnv === undefined ? createToken() : readToken(fromEnv, shell);
  const { user, host } = options;
  const record: TokenRecord = {
    name,
    sha256: hashToken(token),
    roles: await readRoles(options.role ?? ["call"]),
    ...(user !== undefined && { user }),
    ...(host !== undefined && { hosts: [...host] }),
  };
  await place.write([...tokens, record]);
  if (print === true) shell.out.line(token);
  else if (fromEnv === undefined) shell.err.line(`  ${printable(name)}  ${token}  shown only now`);
  if (options.json === true && print === undefined) shell.out.json({ added: name, roles: record.roles });
  shell.end(exitCodes.done);
}

/**
 * Minimum number of characters of a token from `--from-env`. A random token of 43 characters, each one of 64, is as hard to
 * guess as a 256-bit key.
 */
const leastToken = 43;

function readToken(variable: string, { env }: Shell): string {
  const token = env[variable] ?? "";
  if (/^[\w.~+/-]+=*$/.test(token) && token.length >= leastToken) return token;
  throw usageError(
    token === ""
      ? `the variable ${printable(variable)} is not set`
      : `the variable ${printable(variable)} has no token: ${leastToken} characters or more, letters, digits and - . _ ~ + / =`,
  );
}

async function readRoles(given: readonly string[]): Promise<Role[]> {
  const { roles } = await import("@toolmount/http");
  return given.map((text) => {
    const role = roles.find((known) => known === text);
    if (role === undefined)
      throw usageError(`${JSON.stringify(text)} is no role; the roles are ${roles.join(", ")}`);
    return role;
  });
}

async function remove(place: TokenPlace, name: string, { json }: Options, shell: Shell): Promise<void> {
  const tokens = await readThere(place);
  const rest = tokens.filter((one) => one.name !== name);
  if (rest.length === tokens.length)
    throw usageError(
      `the file has no token named ${JSON.stringify(name)}; toolmount serve tokens list shows those it has`,
    );
  await place.write(rest);
  if (json === true) shell.out.json({ removed: name });
  else shell.out.line(`${shell.out.paint("green", "✔")} removed ${printable(name)}`);
  shell.end(exitCodes.done);
}

async function readThere(place: TokenPlace): Promise<readonly TokenRecord[]> {
  const tokens = await place.read();
  if (tokens === null)
    throw usageError(`${place.name} has no tokens; toolmount serve tokens add makes the first`);
  return tokens;
}
