import { ToolmountError, type JsonObject } from "@toolmount/core";
import type { NewEntry } from "@toolmount/loader/commands";
import { z } from "zod";
import { prefixOf } from "./server-settings.ts";
import { limitOf } from "./server-limits.ts";
import {
  argument,
  inputShape,
  keyValue,
  ServerInputs,
  type Machine,
  type WantedVariable,
} from "./server-inputs.ts";

const transport = z.looseObject({
  type: z.string(),
  url: z.string().optional(),
  headers: z.array(keyValue).optional(),
  variables: z.record(z.string(), z.looseObject(inputShape)).optional(),
});

const packageOf = z.looseObject({
  registryType: z.string(),
  registryBaseUrl: z.string().optional(),
  identifier: z.string().min(1),
  version: z.string().optional(),
  runtimeHint: z.string().optional(),
  transport,
  runtimeArguments: z.array(argument).optional(),
  packageArguments: z.array(argument).optional(),
  environmentVariables: z.array(keyValue).optional(),
});

/** The description of a server in MCP registries. Source: `server.json`, schema 2025-12-11. */
export const serverJson = z.looseObject({
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, 'it is a name such as "io.github.me/weather"'),
  description: z.string(),
  version: z.string().max(255),
  packages: z.array(packageOf).optional(),
  remotes: z.array(transport).optional(),
});

export type ServerJson = z.output<typeof serverJson>;

type Package = z.output<typeof packageOf>;

/** One way to use a server: the entry for the plan, and what a person must know before it is written. */
export interface ServerChoice {
  /** The kind that was chosen: `npm`, `pypi`, `oci`, `nuget`, or `remote`. */
  readonly kind: string;
  readonly entry: NewEntry;
  /** The command line that would be started, or the address that would be reached. Variables are shown by their names. */
  readonly runs: string;
  /** Variables that the user must set. */
  readonly variables: readonly WantedVariable[];
  /** Optional settings of the server that the entry leaves out. */
  readonly left: readonly WantedVariable[];
}

/**
 * How the packages of each registry are started: the program, and the arguments before and after the package. `home` matches
 * the addresses of the registry that the program asks.
 */
const launchers: Readonly<
  Record<
    string,
    {
      readonly programs: readonly string[];
      readonly home: RegExp;
      readonly args: (fixed: string, parts: Parts) => readonly string[];
    }
  >
> = {
  npm: {
    programs: ["npx"],
    home: /^https:\/\/registry\.npmjs\.org\/?$/,
    args: (fixed, { runtime, own }) => ["-y", ...runtime.filter((word) => word !== "-y"), fixed, ...own],
  },
  pypi: {
    programs: ["uvx"],
    home: /^https:\/\/(?:pypi\.org|files\.pythonhosted\.org)(?:\/|$)/,
    args: (fixed, { runtime, own }) => [...runtime, fixed, ...own],
  },
  oci: {
    programs: ["docker", "podman"],
    home: /^https:\/\/(?:docker\.io|ghcr\.io)(?:\/|$)/,
    args: (fixed, { runtime, own, env }) => [
      "run",
      "-i",
      "--rm",
      ...env.flatMap((name) => ["-e", name]),
      ...runtime,
      fixed,
      ...own,
    ],
  },
  nuget: {
    programs: ["dnx"],
    home: /^https:\/\/api\.nuget\.org(?:\/|$)/,
    args: (fixed, { runtime, own }) => [
      ...runtime,
      fixed,
      "--yes",
      ...(own.length === 0 ? [] : ["--", ...own]),
    ],
  },
};

interface Parts {
  readonly runtime: readonly string[];
  readonly own: readonly string[];
  readonly env: readonly string[];
}

/**
 * Makes the entry for a server. It takes the first of its packages and remote addresses that this host can use; with `type`, only
 * those of that kind. If none can be used, throws `USAGE_INVALID` with the reason for each.
 */
export function chooseServer(
  server: ServerJson,
  { id, type, machine }: { id?: string | undefined; type?: string | undefined; machine: Machine },
): ServerChoice {
  const name = id ?? server.name.split("/").at(-1)!;
  const ways = [
    ...(server.packages ?? []).map((one) => ({
      kind: one.registryType,
      make: () => ofPackage(one, name, machine),
    })),
    ...(server.remotes ?? []).map((one) => ({ kind: "remote", make: () => ofRemote(one, name, machine) })),
  ].filter(({ kind }) => type === undefined || kind === type);
  const reasons: string[] = [];
  for (const { kind, make } of ways) {
    const made = make();
    if (typeof made === "string") reasons.push(`${kind}: ${made}`);
    else return { kind, ...made };
  }
  const problem =
    reasons.length > 0 ? reasons.join("; ") : `it offers no ${type ?? "package and no address"}`;
  throw new ToolmountError("USAGE_INVALID", {
    problem: `the MCP server "${server.name}" cannot be added: ${problem}`,
  });
}

type Made = Omit<ServerChoice, "kind"> | string;

function ofPackage(one: Package, name: string, machine: Machine): Made {
  const { registryType, registryBaseUrl, identifier, version, runtimeHint, transport: how } = one;
  const launcher = Object.hasOwn(launchers, registryType) ? launchers[registryType] : undefined;
  if (launcher === undefined) return "packages of this kind are not supported";
  const command = runtimeHint ?? launcher.programs[0]!;
  if (!launcher.programs.includes(command))
    return `its runtimeHint ${JSON.stringify(command)} is not one of ${launcher.programs.join(", ")}`;
  if (how.type !== "stdio")
    return `a package with the transport ${JSON.stringify(how.type)} listens on a port of its own; start it, and add its address`;
  if (registryBaseUrl !== undefined && !launcher.home.test(registryBaseUrl))
    return `it comes from ${registryBaseUrl}, which ${command} would not ask`;
  const values = new ServerInputs(name, machine);
  const env = values.map(one.environmentVariables);
  const runtime = values.list(one.runtimeArguments);
  const limit = limitOf(registryType, identifier, runtime, Object.keys(env));
  if (limit !== undefined) return limit;
  const fixed = fixedPackage(registryType, identifier, version);
  if (fixed === undefined) return `its version ${JSON.stringify(version ?? "")} is not a fixed one`;
  const args = launcher.args(fixed, {
    runtime,
    own: values.list(one.packageArguments),
    env: Object.keys(env),
  });
  const set = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return choiceOf(
    name,
    values,
    { command, args: [...args], ...(set.length > 0 && { env }) },
    [...set, command, ...args].map(quoted).join(" "),
  );
}

function ofRemote(
  { type, url = "", headers, variables }: z.output<typeof transport>,
  name: string,
  machine: Machine,
): Made {
  if (type !== "streamable-http" && type !== "sse")
    return `the transport ${JSON.stringify(type)} is not supported`;
  const values = new ServerInputs(name, machine);
  const address = values.fill(url, variables);
  if (!address.startsWith("https://") && !/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/]/.test(address))
    return "its address does not begin with https://";
  if (/^[^/]*\/\/[^/?#]*@/.test(address)) return "its address has a name or a password before the host";
  const sent = values.map(headers);
  const odd = Object.keys(sent).find((key) => !headerName.test(key));
  if (odd !== undefined) return `its header ${JSON.stringify(odd.slice(0, 200))} is no name of a header`;
  const mcp = {
    url: address,
    ...(Object.keys(sent).length > 0 && { headers: sent }),
    ...(type === "sse" && { transport: "sse" }),
  };
  const shown = Object.entries(sent).map(([key, value]) => `${key}: ${value}`);
  return choiceOf(name, values, mcp, [address, ...shown].join(", "));
}

/** Names of headers. Source: RFC 9110, tokens. */
const headerName = /^[!#$%&'*+.^`|~\w-]+$/;

/**
 * Returns the package with its version in the form that its program accepts; undefined if the version can later refer to another
 * package, such as `latest`.
 */
function fixedPackage(
  registryType: string,
  identifier: string,
  version: string | undefined,
): string | undefined {
  if (registryType === "oci") {
    const whole = version === undefined ? identifier : `${identifier}:${version}`;
    return /(?:@sha256:[0-9a-f]{64}|:(?!latest$)[\w][\w.-]{0,127})$/.test(whole) ? whole : undefined;
  }
  const isFixed =
    version !== undefined && /^\d[\w.+-]*$/.test(version) && !/(?:^|\.)x(?:\.|$)/i.test(version);
  return isFixed ? `${identifier}@${version}` : undefined;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}

function choiceOf(name: string, inputs: ServerInputs, mcp: JsonObject, runs: string): Made {
  const entry: NewEntry = { module: name, source: { mcp }, prefix: prefixOf(name), required: false };
  return { entry, runs, variables: inputs.wanted, left: inputs.left };
}
