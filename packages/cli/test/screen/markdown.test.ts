import xterm from "@xterm/headless";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMarkdownWriter } from "../../src/screen/markdown.ts";
import { createScreen } from "../../src/screen/screen.ts";

const answer = `## What I found

The **report** is in \`out/report.md\`; it has [a page of figures](https://example.com/figures) and more words than fit into one line of a terminal.

- first item, which is long enough to need a second line at most widths that people use, and a third
  - inner item
1. numbered

| Name | Size | What it is |
| --- | ---: | --- |
| report.md | 12 kB | A report of the whole year, with a summary for each quarter and a list of open questions |
| data.csv | 3 MB | **raw** data |

\`\`\`ts
const greeting = "not **bold** here, and a line of code that is much longer than the terminal is wide, so it stays whole";
\`\`\`

> quoted
---
The end`;

/** What a terminal shows after the pieces of a text. */
async function shown(pieces: readonly string[], columns: number): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows: 60, scrollback: 500, allowProposedApi: true });
  let bytes = "";
  const sink = { isTTY: true, columns, write: (text: string) => (bytes += text.replaceAll("\n", "\r\n")) };
  const markdown = createMarkdownWriter(createScreen(sink, { NO_COLOR: "1" }));
  for (const piece of pieces) markdown.write(piece);
  markdown.end();
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)!.translateToString(true));
  return lines.join("\n").trimEnd();
}

test("headings, lists, tables and code are shown for the width, and no word is broken", async () => {
  expect(await shown([answer], 60)).toBe(`What I found

The report is in \`out/report.md\`; it has a page of figures
(https://example.com/figures) and more words than fit into
one line of a terminal.

• first item, which is long enough to need a second line at
  most widths that people use, and a third
  • inner item
1. numbered

Name        Size  What it is
─────────  ─────  ──────────────────────────────────────────
report.md  12 kB  A report of the whole year, with a summary
                  for each quarter and a list of open
                  questions
data.csv    3 MB  raw data

  ts
  const greeting = "not **bold** here, and a line of code th
at is much longer than the terminal is wide, so it stays who
le";

  quoted
────────────────────────────────────────
The end`);
});

test("a text is shown alike in whatever pieces it arrives", async () => {
  const whole = new Map(
    await Promise.all(
      [40, 60, 80, 120].map(async (columns) => [columns, await shown([answer], columns)] as const),
    ),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...whole.keys()),
    fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 }),
    async (columns, sizes) => {
      const pieces: string[] = [];
      for (let at = 0, turn = 0; at < answer.length; turn++) {
        const size = sizes[turn % sizes.length]!;
        pieces.push(answer.slice(at, at + size));
        at += size;
      }
      expect(await shown(pieces, columns)).toBe(whole.get(columns));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});
