import { isRecord } from "@toolmount/core/json";
import { onConnect, type Peer } from "./peer.ts";

/**
 * Key of `_meta` for members that the protocol does not have, of a tool, prompt, resource or block of content. The SDK drops
 * such members in both directions, and keeps `_meta`.
 */
const membersKey = "dev.toolmount/members";

type Members = Readonly<Record<string, unknown>>;

/** Moves the members of an item that are not known into its `_meta`. Drops what a server itself wrote under that key. */
export function withUnknownInMeta(item: Members, isKnown: (name: string) => boolean): Members {
  const given = isRecord(item["_meta"]) ? item["_meta"] : {};
  const { [membersKey]: _, ...meta } = given;
  const isOther = (name: string) => name !== "_meta" && !isKnown(name);
  const unknown = Object.entries(item).filter(([name]) => isOther(name));
  if (unknown.length === 0 && !(membersKey in given)) return item;
  const known = Object.entries(item).filter(([name]) => !isOther(name));
  const members = unknown.length === 0 ? {} : { [membersKey]: Object.fromEntries(unknown) };
  return { ...Object.fromEntries(known), _meta: { ...meta, ...members } };
}

/** Returns an item with the unknown members of its `_meta` as its own. They replace none of its members. */
function withUnknown(item: unknown): unknown {
  if (!isRecord(item) || !isRecord(item["_meta"]) || !isRecord(item["_meta"][membersKey])) return item;
  const { _meta, ...own } = item;
  const { [membersKey]: members, ...meta } = _meta as Members;
  return { ...(members as Members), ...own, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

/** Members of results that are lists of items, or of messages with one block of content each. */
const lists = ["tools", "prompts", "resources", "resourceTemplates", "content", "messages"] as const;

/** Writes unknown members of items where their server wrote them, in each result that a server of the SDK sends. */
export function passUnknownMembers(peer: Peer): void {
  onConnect(peer, (wire) => {
    const send = wire.send.bind(wire);
    wire.send = (message, ...how) => send(isRecord(message) ? rewritten(message) : message, ...how);
  });
}

function rewritten(message: Members): Members {
  const result = message["result"];
  if (!isRecord(result)) return message;
  const changed = lists.flatMap((name): [string, unknown][] => {
    const items = result[name];
    if (!Array.isArray(items)) return [];
    const read = items.map(name === "messages" ? withUnknownContent : withUnknown);
    return read.every((item, at) => item === items[at]) ? [] : [[name, read]];
  });
  return changed.length === 0
    ? message
    : { ...message, result: { ...result, ...Object.fromEntries(changed) } };
}

function withUnknownContent(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const content = withUnknown(message["content"]);
  return content === message["content"] ? message : { ...message, content };
}
