/** How costly a page is to parse. */
export interface PageCost {
  /** Every `<`, whether or not a tag follows. */
  readonly tags: number;
  /** Nesting depth of elements, approximately: elements with an optional end tag do not count. */
  readonly depth: number;
  /** Characters of the longest tag, with its attributes. */
  readonly longestTag: number;
  /** Table cells. */
  readonly cells: number;
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
  let longestTag = 0;
  let cells = 0;
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
      longestTag = Math.max(longestTag, tagEnd - start);
      if (!isEnd && (element === "td" || element === "th")) cells++;
      if (!voidElements.has(element) && !optionalEnd.has(element) && html[tagEnd - 1] !== "/")
        open = Math.max(0, open + (isEnd ? -1 : 1));
      depth = Math.max(depth, open);
    }
    start = next;
  }
  return { tags, depth, longestTag, cells };
}
