import type { Content } from "./contents.ts";

/** Shows a content as one engine or kind of site does. The markup is written by hand, after what such sites send. */
type Site = (content: Content) => string;

const escape = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const words = (line: string) =>
  line.replaceAll(/\w+|[^\w\s]+/g, (word) => `<span class="n">${escape(word)}</span>`);
const page = ({ language, title }: Content, body: string, head = "") =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title} | Site</title>${head}</head><body>${body}</body></html>`;
const nav = `<nav aria-label="Main"><ul><li><a href="/">Home</a></li><li><a href="/all">All pages</a></li></ul></nav>`;
const anchor = (text: string) =>
  `<a class="header-anchor" href="#${encodeURIComponent(text)}" aria-label="Permalink">#</a>`;
const links = ({ links: all }: Content) => all.map(([text, to]) => `<a href="${to}">${text}</a>`);
const list = ({ steps }: Content) => `<ol>${steps.map((step) => `<li>${step}</li>`).join("")}</ol>`;
const plainTable = ({ cells: [names = [], ...rows] }: Content) =>
  `<table><thead><tr>${names.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("")}</tbody></table>`;
const spanTable = ({ cells: [names = [], first = [], second = [], third = []] }: Content) =>
  `<table><tr>${names.map((name) => `<th scope="col"><p>${name}</p></th>`).join("")}</tr><tr><td rowspan="2">${first[0]}</td>${cellsOf(first.slice(1))}</tr><tr>${cellsOf(second.slice(1))}</tr><tr>${cellsOf(third)}</tr></table>`;
const cellsOf = (cells: readonly string[]) => cells.map((cell) => `<td><p>${cell}</p></td>`).join("");
const joined = (code: readonly string[]) => code.map(words).join("\n");

interface Parts {
  readonly code: string;
  readonly caution: string;
  readonly table?: string;
  readonly heading?: (text: string) => string;
}

/** The main part in the order that all share. */
function main(
  content: Content,
  {
    code,
    caution,
    table = plainTable(content),
    heading = (text) => `<h2 id="a">${text}${anchor(text)}</h2>`,
  }: Parts,
): string {
  const [first, second] = content.headings;
  return `<h1>${content.title}</h1><p>${content.prose}</p>${heading(first)}${caution}${list(content)}${code}${heading(second)}${table}<p>${links(content).join(" · ")}</p>`;
}

export const sites: Readonly<Record<string, Site>> = {
  Docusaurus: (c) =>
    page(
      c,
      `<div id="__docusaurus"><header>${nav}</header><div class="main-wrapper"><aside class="theme-doc-sidebar"><ul><li><a href="/x">Other</a></li></ul></aside><main><article><div class="theme-doc-markdown markdown">${main(
        c,
        {
          code: `<div class="codeBlockContainer language-py"><pre tabindex="0" class="prism-code language-py"><code>${c.code.map((line) => `<span class="token-line">${line === "" ? `<span class="token plain" style="display:inline-block"></span>` : words(line)}<br></span>`).join("")}</code></pre><div class="buttonGroup"><button type="button" aria-label="Copy code to clipboard"><span aria-hidden="true"><svg></svg></span></button></div></div>`,
          caution: `<div class="theme-admonition theme-admonition-warning alert alert--warning"><div class="admonitionHeading"><span class="admonitionIcon"><svg></svg></span>warning</div><div class="admonitionContent"><p>${c.caution}</p></div></div>`,
        },
      )}</div></article></main></div><footer class="footer">Copyright</footer></div>`,
    ),
  Starlight: (c) =>
    page(
      c,
      `<header><a href="/">Site</a></header><nav class="sidebar"><a href="/x">Other</a></nav><main data-pagefind-body><div class="sl-markdown-content">${main(
        c,
        {
          code: `<div class="expressive-code"><figure class="frame"><figcaption class="header"></figcaption><pre data-language="py"><code>${c.code.map((line, at) => `<div class="ec-line"><div class="gutter"><div class="ln" aria-hidden="true">${at + 1}</div></div><div class="code">${line === "" ? "\n" : words(line)}</div></div>`).join("")}</code></pre><div class="copy"><button title="Copy to clipboard" data-code="x"><div></div></button></div></figure></div>`,
          caution: `<aside aria-label="Caution" class="starlight-aside starlight-aside--caution"><p class="starlight-aside__title" aria-hidden="true"><svg></svg>Caution</p><div class="starlight-aside__content"><p>${c.caution}</p></div></aside>`,
        },
      )}</div></main><footer>Edit page</footer>`,
    ),
  VitePress: (c) =>
    page(
      c,
      `<div id="app"><header class="VPNav">${nav}</header><div class="VPContent"><aside class="VPSidebar">Other</aside><main class="main"><div class="vp-doc">${main(
        c,
        {
          code: `<div class="language-py line-numbers-mode"><button title="Copy Code" class="copy"></button><span class="lang">py</span><pre class="shiki"><code>${c.code.map((line) => `<span class="line">${words(line)}</span>`).join("\n")}</code></pre><div class="line-numbers-wrapper" aria-hidden="true">${c.code.map((_, at) => `<span class="line-number">${at + 1}</span><br>`).join("")}</div></div>`,
          caution: `<div class="danger custom-block"><p class="custom-block-title">DANGER</p><p>${c.caution}</p></div>`,
        },
      )}</div></main></div></div>`,
    ),
  Sphinx: (c) =>
    page(
      c,
      `<div class="related" role="navigation">${nav}</div><div class="document"><div class="documentwrapper"><div class="body" role="main"><section id="a">${main(
        c,
        {
          code: `<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>${joined(c.code)}\n</pre></div></div>`,
          caution: `<div class="admonition warning"><p class="admonition-title">Warning</p><p>${c.caution}</p></div>`,
          heading: (text) =>
            `<h2>${text}<a class="headerlink" href="#a" title="Link to this heading">¶</a></h2>`,
          table: spanTable(c),
        },
      )}</section></div></div></div><div class="sphinxsidebar" role="navigation">Contents</div><div class="footer" role="contentinfo">Created using Sphinx</div>`,
    ),
  "Sphinx with line numbers": (c) =>
    page(
      c,
      `<div class="document"><div class="body" role="main">${main(c, {
        code: `<div class="highlight"><table class="highlighttable"><tbody><tr><td class="linenos"><div class="linenodiv"><pre>${c.code.map((_, at) => `<span class="normal">${at + 1}</span>`).join("\n")}</pre></div></td><td class="code"><div><pre><span></span>${joined(c.code)}\n</pre></div></td></tr></tbody></table></div>`,
        caution: `<div class="admonition caution"><p class="admonition-title">Caution</p><p>${c.caution}</p></div>`,
      })}</div></div>`,
    ),
  "MkDocs Material": (c) =>
    page(
      c,
      `<header class="md-header">${nav}</header><div class="md-container"><main class="md-main"><div class="md-sidebar"><nav class="md-nav">Other</nav></div><div class="md-content"><article class="md-content__inner md-typeset">${main(
        c,
        {
          code: `<div class="language-py highlight"><pre><span></span><code>${c.code.map((line, at) => `<a id="__codelineno-0-${at}" name="n" href="#n"></a>${words(line)}\n`).join("")}</code></pre></div>`,
          caution: `<details class="warning" open><summary>Warning</summary><p>${c.caution}</p></details>`,
          heading: (text) =>
            `<h2 id="a">${text}<a class="headerlink" href="#a" title="Permanent link">&para;</a></h2>`,
          table: `<div class="md-typeset__scrollwrap"><div class="md-typeset__table">${plainTable(c)}</div></div>`,
        },
      )}</article></div></main><footer class="md-footer">Next</footer></div>`,
    ),
  "Hugo with Chroma": (c) =>
    page(
      c,
      `<header>${nav}</header><main class="content"><article>${main(c, {
        code: `<div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd"><pre class="chroma"><code>${c.code.map((_, at) => `<span class="lnt">${at + 1}\n</span>`).join("")}</code></pre></td><td class="lntd"><pre class="chroma"><code class="language-py">${c.code.map((line) => `<span class="line"><span class="cl">${words(line)}\n</span></span>`).join("")}</code></pre></td></tr></table></div></div>`,
        caution: `<blockquote class="alert alert-caution"><p class="alert-heading">Caution</p><p>${c.caution}</p></blockquote>`,
      })}</article></main>`,
    ),
  "Jekyll with Rouge": (c) =>
    page(
      c,
      `<header class="site-header">${nav}</header><main class="page-content"><article class="post">${main(c, {
        code: `<figure class="highlight"><pre><code class="language-py" data-lang="py">${joined(c.code)}</code></pre></figure>`,
        caution: `<p class="warning">${c.caution}</p>`,
      })}</article></main><footer class="site-footer">Feed</footer>`,
    ),
  Nextra: (c) =>
    page(
      c,
      `<div class="nextra-nav-container">${nav}</div><aside class="nextra-sidebar-container">Other</aside><article><main>${main(
        c,
        {
          code: `<div class="nextra-code"><pre data-language="py"><code dir="ltr">${c.code.map((line) => `<span>${line === "" ? " " : words(line)}</span>`).join("\n")}</code></pre></div>`,
          caution: `<div class="nextra-callout"><div class="select-none">⚠️</div><div class="w-full"><p>${c.caution}</p></div></div>`,
        },
      )}</main></article>`,
    ),
  Antora: (c) =>
    page(
      c,
      `<header class="header">${nav}</header><div class="body"><div class="nav-container">Other</div><main class="article"><article class="doc">${main(
        c,
        {
          code: `<div class="listingblock"><div class="content"><pre class="highlightjs highlight"><code class="language-py hljs" data-lang="py">${joined(c.code)}</code></pre></div></div>`,
          caution: `<div class="admonitionblock warning"><table><tr><td class="icon"><i class="fa icon-warning" title="Warning"></i></td><td class="content"><div class="paragraph"><p>${c.caution}</p></div></td></tr></table></div>`,
          table: `<table class="tableblock">${spanTable(c).slice(7)}`,
        },
      )}</article></main></div>`,
    ),
  Rustdoc: (c) =>
    page(
      c,
      `<nav class="sidebar">Crates</nav><main><section id="main-content" class="content"><div class="docblock">${main(
        c,
        {
          code: `<div class="example-wrap"><pre class="rust rust-example-rendered"><code>${joined(c.code)}</code></pre></div>`,
          caution: `<div class="warning"><p>${c.caution}</p></div>`,
        },
      )}</div></section></main>`,
    ),
  Javadoc: (c) =>
    page(
      c,
      `<header role="banner">${nav}</header><main role="main"><section class="class-description"><div class="block">${main(
        c,
        {
          code: `<pre><code>${joined(c.code)}\n</code></pre>`,
          caution: `<dl class="notes"><dt>Implementation Note:</dt><dd>${c.caution}</dd></dl>`,
          table: `<table class="striped"><caption>Table</caption>${plainTable(c).slice(7)}`,
        },
      )}</div></section></main>`,
    ),
  Doxygen: (c) =>
    page(
      c,
      `<div id="top">${nav}</div><div id="doc-content"><div class="contents"><div class="textblock">${main(
        c,
        {
          code: `<div class="fragment">${c.code.map((line) => `<div class="line">${words(line).replaceAll("\t", "&#9;")}</div>`).join("\n")}</div>`,
          caution: `<dl class="section warning"><dt>Warning</dt><dd>${c.caution}</dd></dl>`,
        },
      )}</div></div></div><hr class="footer"><address class="footer">Generated</address>`,
    ),
  "Go packages": (c) =>
    page(
      c,
      `<header class="go-Header">${nav}</header><main class="go-Main"><div class="Documentation-content">${main(
        c,
        {
          code: `<details class="Documentation-exampleDetails" open><summary>Example</summary><textarea hidden>x</textarea><pre class="Documentation-exampleCode">${joined(c.code)}\n</pre></details>`,
          caution: `<div class="Documentation-deprecatedDetails"><span class="Documentation-deprecatedTag">Deprecated</span><p>${c.caution}</p></div>`,
        },
      )}</div></main>`,
    ),
  "Web reference": (c) =>
    page(
      c,
      `<header class="page-header">${nav}</header><div class="main-wrapper"><main id="content"><article class="main-page-content"><header><h1>${c.title}</h1></header><div class="section-content">${main(
        c,
        {
          code: `<div class="code-example"><p class="example-header"><span class="language-name">py</span></p><pre class="brush: py notranslate"><code>${joined(c.code)}\n</code></pre></div>`,
          caution: `<div class="notecard warning" id="n"><p><strong>Warning:</strong> ${c.caution}</p></div>`,
        },
      ).replace(`<h1>${c.title}</h1>`, "")}</div></article></main></div>`,
    ),
  Confluence: (c) =>
    page(
      c,
      `<div id="header">${nav}</div><div id="main"><div id="title-heading"><h1 id="title-text"><a href="/p/1">${c.title}</a></h1></div><div id="main-content" class="wiki-content">${main(
        c,
        {
          code: `<div class="code panel pdl"><div class="codeContent panelContent pdl"><pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: py">${c.code.map(escape).join("\n")}</pre></div></div>`,
          caution: `<div class="confluence-information-macro confluence-information-macro-warning"><span class="aui-icon"></span><div class="confluence-information-macro-body"><p>${c.caution}</p></div></div>`,
          table: `<div class="table-wrap"><table class="confluenceTable">${spanTable(c).slice(7)}</div>`,
        },
      ).replace(`<h1>${c.title}</h1>`, "")}</div></div>`,
    ),
  MediaWiki: (c) =>
    page(
      c,
      `<div id="mw-navigation">${nav}</div><main id="content" class="mw-body"><h1 id="firstHeading">${c.title}</h1><div id="bodyContent"><div id="mw-content-text" class="mw-parser-output">${main(
        c,
        {
          code: `<div class="mw-highlight mw-highlight-lang-python mw-content-ltr" dir="ltr"><pre><span></span>${joined(c.code)}\n</pre></div>`,
          caution: `<table class="box-Notice metadata ambox ambox-notice" role="presentation"><tbody><tr><td class="mbox-image"></td><td class="mbox-text"><div class="mbox-text-span">${c.caution}</div></td></tr></tbody></table>`,
          heading: (text) =>
            `<div class="mw-heading mw-heading2"><h2 id="a">${text}</h2><span class="mw-editsection"><span>[</span><a href="/edit">edit</a><span>]</span></span></div>`,
          table: `<table class="wikitable">${spanTable(c).slice(7)}`,
        },
      ).replace(`<h1>${c.title}</h1>`, "")}</div></div></main>`,
    ),
  Discourse: (c) =>
    page(
      c,
      `<section id="main"><noscript data-path="/t/1"><header class="d-header">${nav}</header><div id="main-outlet" class="wrap"><div id="topic-title"><h1>${c.title}</h1></div><div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">ana</span></div><div class="post" itemprop="text">${main(
        c,
        {
          code: `<pre><code class="lang-py">${c.code.map(escape).join("\n")}\n</code></pre>`,
          caution: `<aside class="quote"><div class="title">ben:</div><blockquote><p>${c.caution}</p></blockquote></aside>`,
          table: `<div class="md-table">${plainTable(c)}</div>`,
        },
      ).replace(`<h1>${c.title}</h1>`, "")}</div></div></div></noscript></section>`,
    ),
  "phpBB forum": (c) =>
    page(
      c,
      `<div id="wrap"><div id="page-header">${nav}</div><div id="page-body"><h2 class="topic-title"><a href="t1">${c.title}</a></h2><div class="post bg2"><div class="inner"><div class="postprofile"><dt>ana</dt><dd>Posts: 7</dd></div><div class="postbody"><div class="content">${main(
        c,
        {
          code: `<div class="codebox"><p>Code: <a href="#">Select all</a></p><pre><code>${c.code.map(escape).join("\n")}</code></pre></div>`,
          caution: `<blockquote><div><cite>ben wrote:</cite>${c.caution}</div></blockquote>`,
        },
      )}</div></div></div></div></div></div>`,
    ),
  "Questions and answers": (c) =>
    page(
      c,
      `<header>${nav}</header><div id="content"><div id="question-header"><h1><a href="/q/1">${c.title}</a></h1></div><div id="mainbar"><div class="answer"><div class="votecell"><div class="js-vote-count">42</div></div><div class="answercell"><div class="s-prose js-post-body">${main(
        c,
        {
          code: `<pre class="lang-py prettyprint-override"><code>${c.code.map(escape).join("\n")}\n</code></pre>`,
          caution: `<div class="s-notice s-notice__warning"><p>${c.caution}</p></div>`,
        },
      ).replace(`<h1>${c.title}</h1>`, "")}</div></div></div></div><div id="sidebar">Hot</div></div>`,
    ),
  "Shop, product": (c) =>
    page(
      c,
      `<header class="site-header">${nav}</header><main id="primary"><div class="product type-product"><form class="cart" method="post"><div class="summary entry-summary">${main(
        c,
        {
          code: `<pre class="wp-block-code"><code>${c.code.map(escape).join("\n")}</code></pre>`,
          caution: `<div class="woocommerce-info" role="alert">${c.caution}</div>`,
          table: `<table class="woocommerce-product-attributes shop_attributes">${plainTable(c).slice(7)}`,
        },
      )}<select name="size"><option>S</option><option selected>M</option></select><input name="quantity" value="1"><button type="submit">Add</button></div></form></div></main>`,
    ),
  "Council, one form": (c) =>
    page(
      c,
      `<form method="post" action="./p.aspx" id="aspnetForm"><input type="hidden" name="__VIEWSTATE" value="dDwt"><div id="header">${nav}</div><div id="content">${main(
        c,
        {
          code: `<pre>${c.code.map(escape).join("\n")}</pre>`,
          caution: `<div class="callout callout-warning"><p>${c.caution}</p></div>`,
          table: `<table border="1" cellpadding="2">${spanTable(c).slice(7)}`,
        },
      )}</div><div id="footer">Imprint</div></form>`,
    ),
  "Government service": (c) =>
    page(
      c,
      `<a href="#main-content" class="skip-link">Skip</a><header role="banner">${nav}</header><div class="width-container"><main id="main-content" role="main"><div class="govspeak">${main(
        c,
        {
          code: `<pre><code>${c.code.map(escape).join("\n")}</code></pre>`,
          caution: `<div role="note" aria-label="Warning" class="application-notice help-notice"><p>${c.caution}</p></div>`,
        },
      )}</div></main></div><footer role="contentinfo">Terms</footer>`,
    ),
  "Word processor export": (c) =>
    page(
      c,
      `<div class=WordSection1>${main(c, {
        code: `<pre>${c.code.map((line) => `<span lang=EN-US style='font-size:10pt'>${escape(line)}</span>`).join("\n")}</pre>`,
        caution: `<p class=MsoNormal><b>${c.caution}</b><o:p></o:p></p>`,
        table: `<table class=MsoTableGrid>${spanTable(c).slice(7)}`,
      })}</div>`,
    ),
  "Tables as layout": (c) =>
    page(
      c,
      `<table width="100%"><tr><td width="150"><a href="/">Home</a></td><td>${main(c, {
        code: `<pre>${c.code.map(escape).join("\n")}</pre>`,
        caution: `<p><font color="red"><b>${c.caution}</b></font></p>`,
        table: `<table border=1>${plainTable(c).slice(7)}`,
      })}</td></tr></table>`,
    ),
};
