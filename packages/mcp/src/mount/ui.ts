import type { CallToolResult, ClientCapabilities, Tool } from "@modelcontextprotocol/client";
import { isRecord } from "@toolmount/core/json";
import type { ServerSettings } from "./config.ts";

/** Start of the addresses of user interfaces (MCP Apps). */
const scheme = "ui://";

type UiSettings = Pick<ServerSettings, "expose" | "prefix">;

/** Whether clients of this host may read the user interfaces of a server's tools. */
function exposesUi({ expose }: UiSettings): boolean {
  return expose.includes("ui") || expose.includes("resources");
}

/**
 * Returns the capability for which servers list tools with a user interface, because clients of this host may show it. Empty if
 * the plan does not expose it.
 */
export function uiCapabilities(settings: UiSettings): ClientCapabilities {
  if (!exposesUi(settings)) return {};
  return { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
}

/**
 * Returns the address under which clients of this host see a resource. If the names of a server's tools get a prefix, the
 * addresses of its user interfaces get it, too, because two servers may use the same address.
 */
export function servedUri(uri: string, { prefix }: UiSettings): string {
  return prefix === undefined || !uri.startsWith(scheme)
    ? uri
    : `${scheme}${prefix}/${uri.slice(scheme.length)}`;
}

/** Returns the server's own address of a resource, from the address under which clients of this host see it. */
export function ownUri(uri: string, { prefix }: UiSettings): string {
  const begin = `${scheme}${prefix}/`;
  return prefix === undefined || !uri.startsWith(begin) ? uri : scheme + uri.slice(begin.length);
}

/** Whether the plan lets clients read the resource with this address. With `ui` alone, they can read only user interfaces. */
export function isExposed(uri: string, { expose }: UiSettings): boolean {
  return expose.includes("resources") || (expose.includes("ui") && uri.startsWith(scheme));
}

/** Returns a tool whose user interface has its served address, or has been removed if the plan does not expose it. */
export function withUi(tool: Tool, settings: UiSettings): Tool {
  const { _meta, ...rest } = tool;
  if (_meta === undefined || !(isRecord(_meta["ui"]) || flatKey in _meta)) return tool;
  const { ui, [flatKey]: flat, ...others } = _meta;
  const kept = exposesUi(settings)
    ? {
        ...others,
        ...(isRecord(ui) && { ui: withServedUri(ui, settings) }),
        ...(typeof flat === "string" && { [flatKey]: servedUri(flat, settings) }),
      }
    : others;
  return { ...rest, ...(Object.keys(kept).length > 0 && { _meta: kept }) };
}

/** Key under which an older draft of the extension has the address. */
const flatKey = "ui/resourceUri";

function withServedUri(ui: Readonly<Record<string, unknown>>, settings: UiSettings) {
  const { resourceUri } = ui;
  return typeof resourceUri === "string" ? { ...ui, resourceUri: servedUri(resourceUri, settings) } : ui;
}

/** Returns a result whose links to user interfaces have their served addresses. */
export function withServedLinks(result: CallToolResult, settings: UiSettings): CallToolResult {
  if (settings.prefix === undefined) return result;
  const content = result.content.map((block) => {
    if (block.type === "resource_link") return { ...block, uri: servedUri(block.uri, settings) };
    if (block.type !== "resource") return block;
    return { ...block, resource: { ...block.resource, uri: servedUri(block.resource.uri, settings) } };
  });
  return { ...result, content };
}
