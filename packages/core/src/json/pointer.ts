/**
 * Returns the part of a document to which a reference inside it leads, such as `#/$defs/a`. Undefined for any other reference,
 * and for a part that does not exist.
 */
export function pointed(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let node = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
