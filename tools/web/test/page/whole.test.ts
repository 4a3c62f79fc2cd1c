import fc from "fast-check";
import { expect, test } from "vitest";
import { layOutPage } from "../../src/page/page.ts";
import { elementsOf, isElement, parsePage, textOf, type Element } from "../../src/page/tree.ts";

/** Elements that a page may put anything into, at any place: a browser shows the text of each. */
const tags =
  "a abbr address article b blockquote button caption center cite code dd del details dfn div dl dt em fieldset figcaption figure font form h1 h2 h3 h4 h5 h6 i ins kbd label legend li main mark menu nav noscript object ol option optgroup output p pre q rp rt ruby s samp section slot small span strong sub summary sup table tbody td textarea tfoot th thead time tr u ul var x-card".split(
    " ",
  );
const attributes =
  "|href=/a|class=note|class=line|class='admonition warning'|role=note|role=heading|role=table|role=row|role=cell|role=checkbox|rowspan=2|colspan=2|id=content|class=copy-link|value=3|start=5|title=t|open|role=presentation".split(
    "|",
  );

const words = fc.constant("").map(() => "WORD ");
const { page } = fc.letrec<{ page: string; element: string }>((tie) => ({
  page: fc
    .array(fc.oneof({ maxDepth: 5 }, words, tie("element"), tie("element")), { maxLength: 4 })
    .map((parts) => parts.join("")),
  element: fc
    .tuple(fc.constantFrom(...tags), fc.constantFrom(...attributes), tie("page"))
    .map(([tag, attribute, inner]) => `<${tag} ${attribute}>${inner}</${tag}>`),
}));

test("each word of any page is in its text, or is counted among what was left out", () => {
  fc.assert(
    fc.property(page, fc.boolean(), (body, whole) => {
      let count = 0;
      const html = `<body>${body.replaceAll("WORD", () => `word${++count}z`)}`;
      const { text, leftOut } = layOutPage(html, { url: "https://example.com/", isXml: false, whole });
      const missing = wordsOf(html).filter((word) => !text.includes(word));
      const counted = Object.values(leftOut).reduce((sum, size) => sum + size, 0);

      expect({ html, missing: missing.join("").length <= counted ? [] : missing }).toEqual({
        html,
        missing: [],
      });
    }),
    { numRuns: 2000, examples: [["<table><tfoot role=row><th>WORD </th></tfoot></table>", false]] },
  );
});

/** A button in code copies or runs it, and a field in code is the input of an editor: neither is a line of it. */
function withoutControls(parent: Element, isCode = false): Element {
  const childNodes = parent.childNodes.flatMap((child): Element["childNodes"] => {
    if (!isElement(child)) return [child];
    if (isCode && /^(?:button|textarea)$/.test(child.tagName)) return [];
    return [withoutControls(child, isCode || /^(?:pre|code)$/.test(child.tagName))];
  });
  return { ...parent, childNodes };
}

/** The words of a page as a browser has them, in whatever element. */
function wordsOf(html: string): readonly string[] {
  const root = parsePage(html, false);
  const [, body = root] = elementsOf(root);
  return textOf(withoutControls(body)).match(/word\d+z/g) ?? [];
}
