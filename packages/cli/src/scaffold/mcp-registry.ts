import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isToolmountError, ToolmountError } from "@toolmount/core";
import { boundedFetch } from "@toolmount/core/json";
import { messageOf } from "@toolmount/core/errors";
import { z } from "zod";
import { firstIssue } from "../schema/first-issue.ts";
import { isHere } from "./this-machine.ts";
import { serverJson, type ServerJson } from "./server-json.ts";

/** Milliseconds until a registry must have answered. */
const answerMs = 20_000;

/** Maximum number of bytes in one answer of a registry. */
const maxAnswerBytes = 4 * 1024 * 1024;

const found = z.looseObject({ server: serverJson });
const names = z.looseObject({
  servers: z.array(z.looseObject({ server: z.looseObject({ name: z.string() }) })),
});

/** Reads a `server.json`. Throws `USAGE_INVALID` if the file cannot be read, or is not valid. */
export async function readServerFile(file: string): Promise<ServerJson> {
  try {
    return requireServer(JSON.parse(await readFile(file, "utf8")), file);
  } catch (error) {
    if (isToolmountError(error)) throw error;
    throw notFound(file, messageOf(error), error);
  }
}

/**
 * Finds a server by its name, with or without `@version`, in a registry: the address of a server with the API of MCP
 * registries, a folder of `server.json` files, or one such file. Throws `USAGE_INVALID` if it finds no such server, and
 * `OPTION_INVALID` for an address without https.
 */
export async function findServer(wanted: string, registry: string, cwd: string): Promise<ServerJson> {
  const [, name = wanted, version = "latest"] = /^([^@]+)@(.+)$/.exec(wanted) ?? [];
  if (/^https?:\/\//.test(registry)) return askRegistry(name, version, registry);
  const place = resolve(cwd, registry);
  const servers = await readPlace(place);
  const fitting = servers.filter(
    (one) => one.name === name && (version === "latest" || one.version === version),
  );
  const newest = await newestOf(fitting);
  if (newest === undefined) throw notFound(wanted, `${place} has ${listOf(servers.map((one) => one.name))}`);
  return newest;
}

/**
 * Returns the newest server by semver, by which 2.0.0-beta is before 2.0.0. If no version is semver, compares them as texts with
 * numbers.
 */
async function newestOf(servers: readonly ServerJson[]): Promise<ServerJson | undefined> {
  const { default: semver } = await import("semver");
  const isVersion = ({ version }: ServerJson) => semver.valid(version) !== null;
  const [newest] = servers
    .filter(isVersion)
    .toSorted((one, other) => semver.rcompare(one.version, other.version));
  const byText = (one: ServerJson, other: ServerJson) =>
    other.version.localeCompare(one.version, "en", { numeric: true });
  return newest ?? servers.toSorted(byText)[0];
}

/** Reads the servers of a file, or of a folder: `server.json`, `<any>.server.json`, and the `server.json` of each subfolder. */
async function readPlace(place: string): Promise<readonly ServerJson[]> {
  const facts = await stat(place).catch((error: unknown) => {
    throw notFound(place, messageOf(error), error);
  });
  if (!facts.isDirectory()) return [await readServerFile(place)];
  const entries = await readdir(place, { withFileTypes: true });
  const files = entries.flatMap((entry) => {
    if (entry.isDirectory()) return [join(place, entry.name, "server.json")];
    return /(?:^|\.)server\.json$/.test(entry.name) ? [join(place, entry.name)] : [];
  });
  return Promise.all(files.filter((file) => existsSync(file)).map(readServerFile));
}

async function askRegistry(name: string, version: string, registry: string): Promise<ServerJson> {
  const base = requireSafe(registry).href.replace(/\/+$/, "");
  const path = `${base}/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  const response = await ask(path);
  if (response.ok) return requireServer(found.safeParse(await jsonOf(response, path)).data?.server, path);
  await response.body?.cancel();
  if (response.status !== 404) throw notFound(name, `${path} answered with status ${response.status}`);
  const search = `${base}/v0.1/servers?version=latest&limit=5&search=${encodeURIComponent(name.split("/").at(-1) ?? name)}`;
  const listed = await ask(search);
  const near = listed.ok ? (names.safeParse(await jsonOf(listed, search)).data?.servers ?? []) : [];
  throw notFound(`${name}@${version}`, `${base} has ${listOf(near.map(({ server }) => server.name))}`);
}

/** Requires https, because a registry decides which programs run here. A registry on this machine may use http. */
function requireSafe(registry: string): URL {
  const url = URL.canParse(registry) ? new URL(registry) : undefined;
  if (url !== undefined && (url.protocol === "https:" || isHere(url))) return url;
  throw new ToolmountError("OPTION_INVALID", {
    option: "registry",
    problem: `${registry.slice(0, 200)} is not an address that begins with https://`,
  });
}

const fetchBounded = boundedFetch(
  (url: string, init) => fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(answerMs) }),
  { messageBytes: maxAnswerBytes },
  (problem) => new Error(problem),
);

async function ask(url: string): Promise<Response> {
  try {
    return await fetchBounded(url);
  } catch (error) {
    const { cause } = Object(error) as { readonly cause?: unknown };
    const why = cause instanceof Error ? `: ${cause.message}` : "";
    throw notFound(url, `it cannot be asked: ${messageOf(error)}${why}`, error);
  }
}

async function jsonOf(response: Response, url: string): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    throw notFound(url, messageOf(error), error);
  }
}

function requireServer(value: unknown, place: string): ServerJson {
  const parsed = serverJson.safeParse(value);
  if (parsed.success) return parsed.data;
  throw notFound(place, `it is not a server.json: ${firstIssue(parsed.error)}`);
}

function listOf(known: readonly string[]): string {
  return known.length === 0 ? "no such server" : [...new Set(known)].slice(0, 5).join(", ");
}

function notFound(server: string, problem: string, cause?: unknown): ToolmountError {
  const what = `no MCP server "${server.slice(0, 300)}"`;
  return new ToolmountError("USAGE_INVALID", { problem: `${what}: ${problem}` }, { cause });
}
