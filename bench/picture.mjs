// The table of the bench as SVG: a bar for each row's median, with marks for its floor, its goal and its gate.

const left = 330;
const width = 380;
const rowHeight = 26;
const top = 44;

/** Draws the figures of `run.mjs`. Bars are on a logarithmic scale, since rows differ by ten times. */
export function drawTable(figures) {
  const most = Math.max(...figures.flatMap(({ median, gate }) => [median, gate]));
  const x = (ratio) => left + (width * Math.log(Math.max(ratio, 0.9) / 0.9)) / Math.log((most * 1.05) / 0.9);
  const height = top + figures.length * rowHeight + 16;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 70} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
    "<title>Each row of the bench divided by its floor, with its goal and its gate</title>",
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(left, 18, "time divided by the floor's (logarithmic); green mark: goal, red mark: gate"),
    line(x(1), top - 12, height - 10, "#888888"),
    text(x(1) - 3, top - 16, "1×"),
    ...figures.flatMap((figure, at) => drawRow(figure, top + at * rowHeight, x)),
    "</svg>",
    "",
  ].join("\n");
}

function drawRow({ title, median, goal, gate }, y, x) {
  const colour = median <= goal ? "#2e7d32" : median <= gate ? "#5c7cba" : "#c62828";
  return [
    text(8, y + 13, title.replaceAll("&", "&amp;").replaceAll("<", "&lt;")),
    `<rect x="${left}" y="${y}" width="${(x(median) - left).toFixed(1)}" height="16" fill="${colour}"/>`,
    line(x(goal), y - 3, y + 19, "#2e7d32"),
    line(x(gate), y - 3, y + 19, "#c62828"),
    text(Math.max(x(median), x(gate)) + 6, y + 13, `${median.toFixed(2)}×`),
  ];
}

function text(x, y, words) {
  return `<text x="${x.toFixed(1)}" y="${y}">${words}</text>`;
}

function line(x, from, to, colour) {
  return `<line x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${from}" y2="${to}" stroke="${colour}" stroke-width="2"/>`;
}
