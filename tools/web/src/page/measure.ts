/** How costly a page is to parse. */
interface PageCost {
  /** Number of `<` in the page, whether or not a tag follows. */
  readonly tags: number;
  /** Nesting depth of elements, approximately, because elements with an optional end tag do not count. */
  readonly depth: number;
  /** Maximum number of attributes of one tag, approximately, because its blanks are counted. */
  readonly attributes: number;
}

const voidElements = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
);
const optionalEnd = new Set(
  "p li dt dd tr td th thead tbody tfoot option optgroup colgroup rt rp html head body".split(" "),
);
const name = /[a-zA-Z][a-zA-Z0-9-]{0,30}/y;

/** Scans the tags of a page once, in linear time, without building anything. */
export function measurePage(html: string): PageCost {
  let tags = 0;
  let open = 0;
  let depth = 0;
  let attributes = 0;
  for (let start = html.indexOf("<"); start >= 0;) {
    const next = html.indexOf("<", start + 1);
    const end = next < 0 ? html.length : next;
    tags++;
    const isEnd = html[start + 1] === "/";
    name.lastIndex = start + (isEnd ? 2 : 1);
    const element = name.exec(html)?.[0].toLowerCase();
    if (element !== undefined) {
      const close = html.indexOf(">", start);
      const tagEnd = close < 0 || close > end ? end : close;
      attributes = Math.max(attributes, countBlanks(html, start, tagEnd));
      if (!voidElements.has(element) && !optionalEnd.has(element) && html[tagEnd - 1] !== "/")
        open = Math.max(0, open + (isEnd ? -1 : 1));
      depth = Math.max(depth, open);
    }
    start = next;
  }
  return { tags, depth, attributes };
}

function countBlanks(html: string, start: number, end: number): number {
  let blanks = 0;
  for (let at = start; at < end; at++) if (html.charCodeAt(at) <= 0x20) blanks++;
  return blanks;
}
