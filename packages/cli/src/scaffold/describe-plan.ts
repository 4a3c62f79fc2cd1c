import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ToolmountError, type Json, type JsonObject } from "@toolmount/core";
import { namesSecret } from "@toolmount/core/text";
import type { EffectivePlan } from "@toolmount/loader/commands";
import { z } from "zod";
import { serverJson, type ServerJson } from "./server-json.ts";

/** The address of the schema, for the `$schema` member of a `server.json`. */
const schemaUrl = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** Maximum number of characters of a description that registries accept. */
const maxDescription = 100;

export interface PublishOptions {
  readonly name?: string;
  readonly publicUrl?: string;
  readonly signIn?: true;
}

const packageJson = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  description: z.string().optional(),
  private: z.boolean().optional(),
  mcpName: z.string().optional(),
  bin: z.unknown().optional(),
  repository: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
});

type Package = z.output<typeof packageJson>;

/**
 * Describes a plan for MCP registries: as the npm package that contains it, as the address where it is served, or as both.
 * Throws `USAGE_INVALID` if a required fact is missing.
 */
export async function describePlan(
  { value: plan, variables }: Pick<EffectivePlan, "value" | "variables">,
  folder: string,
  options: PublishOptions,
): Promise<{ readonly server: ServerJson; readonly todo: readonly string[] }> {
  const own = await findPackage(folder);
  const { version } = own;
  const { name = own.mcpName, publicUrl, signIn } = options;
  const description = own.description ?? textOf(plan["description"]);
  if (name === undefined)
    throw invalid('name the server with --name, such as io.github.me/tools, or as "mcpName" in package.json');
  if (version === undefined) throw invalid("say its version in package.json");
  if (description === undefined || description.length > maxDescription)
    throw invalid(`describe it in at most ${maxDescription} characters in package.json`);
  const isPackage = own.private !== true && own.name !== undefined && own.bin !== undefined;
  if (!isPackage && publicUrl === undefined)
    throw invalid(
      "say where it is served with --public-url, or give its npm package a program (bin) that serves it over stdio",
    );
  const parsed = serverJson.safeParse({
    $schema: schemaUrl,
    name,
    description,
    version,
    ...repositoryOf(own),
    ...(isPackage && { packages: [packageOf(own, version, variables)] }),
    ...(publicUrl !== undefined && { remotes: [remoteOf(publicUrl, signIn === true)] }),
  });
  if (!parsed.success)
    throw invalid(`the name ${JSON.stringify(name)} is not valid: ${parsed.error.issues[0]?.message ?? ""}`);
  const isUnnamed = isPackage && own.mcpName !== name;
  const todo = isUnnamed
    ? [`add "mcpName": ${JSON.stringify(name)} to package.json: registries compare it`]
    : [];
  return { server: parsed.data, todo };
}

/** Merges a description into an earlier one, whose other members stay. Returns null if nothing changes. */
export function mergeDescription(before: string | undefined, server: ServerJson): string | null {
  const old = before === undefined ? {} : (JSON.parse(before) as object);
  const merged = { ...old, ...server };
  return isDeepStrictEqual(old, merged) ? null : `${JSON.stringify(merged, null, 2)}\n`;
}

/** Returns the content of the nearest `package.json`, in a folder or above; empty if no folder has one. */
async function findPackage(folder: string): Promise<Package> {
  const file = join(folder, "package.json");
  if (existsSync(file)) {
    const parsed = packageJson.safeParse(JSON.parse(await readFile(file, "utf8")));
    if (parsed.success) return parsed.data;
    throw invalid(`${file} is not valid: ${z.prettifyError(parsed.error)}`);
  }
  const above = dirname(folder);
  return above === folder ? {} : findPackage(above);
}

function packageOf({ name = "" }: Package, version: string, read: EffectivePlan["variables"]): JsonObject {
  const variables = read.map((one) => ({ ...one, isSecret: namesSecret(one.name) }));
  return {
    registryType: "npm",
    identifier: name,
    version,
    transport: { type: "stdio" },
    ...(variables.length > 0 && { environmentVariables: variables }),
  };
}

/**
 * Returns the address of the MCP endpoint: `/mcp` if `publicUrl` has no path. An invalid address is returned unchanged, because
 * the schema reports it.
 */
function endpointOf(publicUrl: string): string {
  if (!URL.canParse(publicUrl) || new URL(publicUrl).pathname !== "/") return publicUrl;
  return new URL("/mcp", publicUrl).href;
}

/** Returns the entry for a server at an address. If clients do not sign in by themselves, they need a token from the operator. */
function remoteOf(publicUrl: string, signsIn: boolean): JsonObject {
  const token = { description: "A token of the server", isRequired: true, isSecret: true };
  const header = { name: "Authorization", value: "Bearer {token}", isRequired: true, isSecret: true };
  return {
    type: "streamable-http",
    url: endpointOf(publicUrl),
    ...(!signsIn && { headers: [{ ...header, variables: { token } }] }),
  };
}

function repositoryOf({ repository }: Package): { repository?: JsonObject } {
  const written = typeof repository === "string" ? repository : repository?.url;
  const url = written?.replace(/^git\+/, "").replace(/\.git$/, "");
  const host = url !== undefined && URL.canParse(url) ? new URL(url).hostname : "";
  const source = { "github.com": "github", "gitlab.com": "gitlab" }[host];
  return url === undefined || source === undefined ? {} : { repository: { url, source } };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function invalid(problem: string): ToolmountError {
  return new ToolmountError("USAGE_INVALID", { problem });
}
