import { createHash } from "node:crypto";
import {
  ProtocolError,
  ProtocolErrorCode,
  type ListToolsResult,
  type Tool,
} from "@modelcontextprotocol/server";
import type { Host, ToolInfo } from "@toolmount/core";
import { toAnnotations } from "../wire/annotations.ts";
import { isRecord, withoutUndefined } from "@toolmount/core/json";
import { inNewestEdition, withFlatRoot } from "@toolmount/core/schemas";
import { publishedOn } from "../wire/published.ts";
import { skillMetaKey } from "../wire/skills.ts";

/** The revisions that a connection can speak: `legacy` is 2025-11-25 and before, `modern` is 2026-07-28. */
export type Era = "legacy" | "modern";

/** Longest name of a tool that the large model providers accept, in characters. */
const maxName = 64;

/** Returns the name under which clients see a tool. A longer name becomes its beginning and six digits of its hash. */
function servedName(name: string): string {
  if (name.length <= maxName) return name;
  return `${name.slice(0, maxName - 7)}_${createHash("sha256").update(name).digest("hex").slice(0, 6)}`;
}

/** Returns the host's name of a tool, given the name under which clients see it. */
export function ownName(seen: string, host: Host): string {
  if (seen.length !== maxName || host.coordinator.get("tools", seen) !== null) return seen;
  const all = host.coordinator.get("tools") as ReadonlyMap<string, unknown>;
  return [...all.keys()].find((name) => servedName(name) === seen) ?? seen;
}

/**
 * Renders a tool for `tools/list`. Its schemas are of JSON Schema 2020-12, because some clients refuse others. Before 2026, the
 * protocol has no unions at the root of `inputSchema`, and the models of most clients refuse them.
 */
export function toMcpTool(info: ToolInfo, era: Era, extras?: Extras): Tool {
  const { name, description, inputSchema, outputSchema } = info;
  const more = extras?.(info);
  const input = inNewestEdition(inputSchema);
  const own = toAnnotations(info);
  // The host's classification of a tool takes precedence over the hints of its server.
  const annotations = own === undefined ? more?.annotations : { ...more?.annotations, ...own };
  return {
    ...more,
    name: servedName(name),
    description,
    inputSchema: (era === "legacy" ? withFlatRoot(input) : input) as Tool["inputSchema"],
    ...(isListed(outputSchema, era) && { outputSchema: inNewestEdition(outputSchema) }),
    ...(mayWait(info, era) && more?.execution === undefined && { execution: { taskSupport: "optional" } }),
    ...(annotations !== undefined && { annotations }),
  };
}

/**
 * Whether the list says that a call of the tool may wait, so that the client can ask for a task. In 2026 the server decides.
 */
function mayWait({ requiresConfirmation }: ToolInfo, era: Era): boolean {
  return era === "legacy" && requiresConfirmation !== false;
}

/** Whether a client sees a tool's output schema. Before 2026, it must describe an object. */
export function isListed(
  outputSchema: ToolInfo["outputSchema"],
  era: Era,
): outputSchema is Readonly<Record<string, unknown>> {
  return isRecord(outputSchema) && (era === "modern" || outputSchema["type"] === "object");
}

/**
 * Returns one page of a list, in the order of names. The cursor is the last name of the previous page, so that a tool that is
 * added or removed between two pages neither repeats nor hides another.
 */
export function pageOf(tools: readonly Tool[], cursor: string | undefined, size: number): ListToolsResult {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rest = after === undefined ? tools : tools.filter(({ name }) => name > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return {
    tools: [...page],
    ...(rest.length > page.length && last !== undefined && { nextCursor: writeCursor(last.name) }),
  };
}

function writeCursor(name: string): string {
  return Buffer.from(`after:${name}`).toString("base64url");
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString();
  if (!text.startsWith("after:") || writeCursor(text.slice("after:".length)) !== cursor)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "the cursor is not one of this server");
  return text.slice("after:".length);
}

/** Members of a tool's definition that come from a mounted MCP server, such as `title`, `icons` and `_meta`. */
type Extras = (tool: ToolInfo) => Partial<Tool> | undefined;

/** Returns a function for the members of a mounted server's definitions for which a host has no field. */
export async function loadExtras(host: Host): Promise<Extras> {
  const definitions = await publishedOn(host, "mcp.definitions");
  return ({ name, declaredName }) => {
    const kept = definitions.find((map) => map.has(name))?.get(name);
    // Another module may have taken the name since.
    if (kept === undefined || kept.declaredName !== declaredName) return undefined;
    const { title, icons, annotations, execution, _meta } = kept.definition;
    // A skill's entry has the server's own addresses; this host serves the skill under others.
    if (_meta?.[skillMetaKey] !== undefined) return undefined;
    return withoutUndefined({ title, icons, annotations, execution, _meta });
  };
}
