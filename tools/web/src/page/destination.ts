import { attributeOf, elementsOf, textOf, type Element } from "./tree.ts";

/** The address to which a page with little text sends its reader, and by which means. */
export interface Destination {
  readonly address: string;
  readonly by: "refresh" | "script";
}

/** Longest delay in seconds of a refresh that counts as a redirect; after a longer one, it only updates the page. */
const maxDelay = 30;

const inScript =
  /\blocation(?:\.href)?\s*=\s*["']([^"'\s]+)["']|\blocation\.(?:replace|assign)\(\s*["']([^"'\s]+)["']/;

/** Returns the address to which a page redirects its reader; null if it names none. */
export function destinationOf(root: Element, base: string): Destination | null {
  let script: Destination | null = null;
  for (const element of elementsOf(root)) {
    if (element.tagName === "meta" && /^refresh$/i.test(attributeOf(element, "http-equiv") ?? "")) {
      const address = refreshOf(attributeOf(element, "content") ?? "", base);
      if (address !== null) return { address, by: "refresh" };
    }
    const found = element.tagName === "script" ? inScript.exec(textOf({ ...element, tagName: "x" })) : null;
    const address = found === null ? null : webAddress(found[1] ?? found[2] ?? "", base);
    if (address !== null) script ??= { address, by: "script" };
  }
  return script;
}

/** Returns the address in the value of a refresh; null if the refresh only reloads the page, or comes after a long time. */
export function refreshOf(content: string, base: string): string | null {
  const [, delay = "", target = ""] =
    /^\s*([\d.]+)\s*[;,]?\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(content) ?? [];
  return target === "" || Number.parseFloat(delay) > maxDelay ? null : webAddress(target.trim(), base);
}

function webAddress(text: string, base: string): string | null {
  const url = URL.parse(text, base);
  return url !== null && /^https?:$/.test(url.protocol) && url.href !== base ? url.href : null;
}

/** Whether scripts may write the page's content: it has one in another file, or one of more than 500 characters. */
export function wantsScripts(root: Element): boolean {
  for (const element of elementsOf(root))
    if (
      element.tagName === "script" &&
      (attributeOf(element, "src") !== undefined || textOf({ ...element, tagName: "x" }).length > 500)
    )
      return true;
  return false;
}
