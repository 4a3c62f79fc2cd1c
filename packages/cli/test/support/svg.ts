import xterm from "@xterm/headless";

/** One run of cells that look alike. */
interface Run {
  readonly at: number;
  readonly look: string;
  text: string;
  width: number;
}

const cell = { width: 8.4, height: 19 };
const margin = 16;

/** What a moving picture shows for a time. */
export interface Frame {
  readonly bytes: string;
  readonly ms: number;
  /** Whether it is shown alone where the reader wants no motion. */
  readonly isStill?: boolean;
}

/**
 * Draws what a terminal shows after these bytes, as SVG with text that can be selected, light or dark as the reader's
 * system is. Lines below the last text are left out.
 */
export async function drawTerminal(bytes: string, columns: number, title: string): Promise<string> {
  const rows = await rowsAfter(bytes, columns);
  return svgOf(drawRows(rows), rows.length, columns, title);
}

/** Draws frame after frame, again and again, without a script. */
export async function drawMoving(frames: readonly Frame[], columns: number, title: string): Promise<string> {
  const drawn = await Promise.all(frames.map(({ bytes }) => rowsAfter(bytes, columns)));
  const groups = drawn.map((rows, at) => {
    const name = frames[at]!.isStill === true ? "frame still" : "frame";
    return `<g class="${name}" style="animation-name: f${at}">\n${drawRows(rows)}\n</g>`;
  });
  const height = Math.max(...drawn.map((rows) => rows.length));
  return svgOf(groups.join("\n"), height, columns, title, motionOf(frames));
}

/** Each frame is visible in its part of the time. A reader who wants no motion sees the still one. */
function motionOf(frames: readonly Frame[]): string {
  const all = frames.reduce((sum, { ms }) => sum + ms, 0);
  const percent = (ms: number) => `${((100 * ms) / all).toFixed(2)}%`;
  let from = 0;
  const keys = frames.map(({ ms }, at) => {
    const [begin, end] = [percent(from), percent((from += ms))];
    const before = at === 0 ? "" : "0% { visibility: hidden } ";
    return `@keyframes f${at} { ${before}${begin} { visibility: visible } ${end}, 100% { visibility: hidden } }`;
  });
  return `.frame { visibility: hidden } .still { visibility: visible }
@media (prefers-reduced-motion: no-preference) { .frame { animation: ${all}ms step-end infinite } }
${keys.join("\n")}
`;
}

async function rowsAfter(bytes: string, columns: number): Promise<Run[][]> {
  const emulator = new xterm.Terminal({ cols: columns, rows: 200, allowProposedApi: true });
  await new Promise<void>((resolve) => emulator.write(bytes, resolve));
  const { active } = emulator.buffer;
  const rows = Array.from({ length: active.length }, (_, at) => runsOf(active.getLine(at)!));
  return rows.slice(0, rows.findLastIndex((runs) => runs.length > 0) + 1);
}

const drawRows = (rows: readonly (readonly Run[])[]) =>
  rows.flatMap((runs, row) => runs.map((run) => drawRun(run, row))).join("\n");

function svgOf(content: string, lines: number, columns: number, title: string, motion = ""): string {
  const width = columns * cell.width + 2 * margin;
  const height = lines * cell.height + 2 * margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
<title>${escape(title)}</title>
<style>${style}${motion}</style>
<rect class="paper" width="100%" height="100%" rx="8"/>
${content}
</svg>
`;
}

const style = `
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; fill: #1f2328 }
.paper { fill: #f6f8fa; stroke: #d1d9e0 } .bold { font-weight: 700 } .dim { fill: #59636e }
.c1 { fill: #b3261e } .c2 { fill: #116329 } .c3 { fill: #7d4e00 } .c4 { fill: #0550ae } .c6 { fill: #0b6a75 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .paper { fill: #0d1117; stroke: #3d444d } .dim { fill: #9198a1 }
.c1 { fill: #ff7b72 } .c2 { fill: #56d364 } .c3 { fill: #e3b341 } .c4 { fill: #79c0ff } .c6 { fill: #56d4dd }
}
`;

function runsOf(line: xterm.IBufferLine): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < line.length; at++) {
    const one = line.getCell(at)!;
    const width = one.getWidth();
    if (width === 0) continue;
    const look = lookOf(one);
    const before = runs.at(-1);
    const text = one.getChars() || " ";
    if (before?.look === look && before.at + before.width === at) {
      before.text += text;
      before.width += width;
    } else runs.push({ at, look, text, width });
  }
  return runs.filter(({ text }) => text.trim() !== "");
}

function lookOf(one: xterm.IBufferCell): string {
  const colour = one.isFgPalette() ? `c${one.getFgColor() % 8}` : "";
  return [one.isBold() ? "bold" : "", one.isDim() || colour === "c0" ? "dim" : colour]
    .filter((name) => name !== "")
    .join(" ");
}

/** Trims blanks, and states the length, so that columns align in every font. */
function drawRun({ at, look, text, width }: Run, row: number): string {
  const before = text.length - text.trimStart().length;
  const shown = text.trim();
  const columns = width - before - (text.length - text.trimEnd().length);
  const x = (margin + (at + before) * cell.width).toFixed(1);
  const y = margin + row * cell.height + 14;
  const name = look === "" ? "" : ` class="${look}"`;
  const length = (columns * cell.width).toFixed(1);
  return `<text${name} x="${x}" y="${y}" textLength="${length}" xml:space="preserve">${escape(shown)}</text>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
