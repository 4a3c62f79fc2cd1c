import { machine, type HostReport, type RowResult } from "./judge/judge.ts";
import type { Row } from "./row.ts";
import { rows } from "./rows.ts";

/** Returns the report as an HTML page: a table of rows and hosts, and below it how each broken row was broken. */
export function htmlOf(reports: readonly HostReport[], tried: readonly Row[] = rows): string {
  const heads = reports.map(
    ({ host, version }) => `<th scope="col">${escape(host)}<br>${escape(version)}</th>`,
  );
  const body = tried.map((row) => rowOf(row, reports)).join("\n");
  const broken = reports.flatMap((report) =>
    report.results.filter(({ verdict }) => verdict === "broken").map((result) => brokenOf(report, result)),
  );
  const { node, system, processors } = machine();
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>host-trial</title>
<style>${style}</style>
<h1>Hosts of tools on trial</h1>
<p>${reports.map((report) => `${escape(report.host)}: ${countsOf(report)}`).join(" · ")}. Effects are counted in a ledger outside the hosts.
A dash: the host has not what the row needs. Node ${node} on ${system} with ${processors} processors, of which
${reports.map(({ load }) => load).join(", ")} were wanted at the end of each host.</p>
<table>
<thead><tr><th scope="col">row</th><th scope="col">what has to hold</th>${heads.join("")}</tr></thead>
<tbody>
${body}
</tbody>
</table>
<h2>What was broken</h2>
<ul>
${broken.join("\n") || "<li>Nothing.</li>"}
</ul>
</html>
`;
}

/** Says how many rows a host held, how many it broke, and how many could not be tried. */
export function countsOf({ results }: HostReport): string {
  const count = (verdict: string) => results.filter((result) => result.verdict === verdict).length;
  return `${count("held")} held, ${count("broken")} broken, ${count("–")} not tried`;
}

function rowOf(row: Row, reports: readonly HostReport[]): string {
  const cells = reports.map(({ results }) => {
    const verdict = results.find((result) => result.row === row.name)?.verdict ?? "–";
    return `<td class="${verdict === "–" ? "none" : verdict}">${verdict}</td>`;
  });
  const link =
    row.thread === undefined
      ? ""
      : ` <a href="https://github.com/${row.thread.replace("#", "/issues/")}">${escape(row.thread)}</a>`;
  return `<tr><th scope="row">${escape(row.name)}</th><td>${escape(row.holds)}${link}</td>${cells.join("")}</tr>`;
}

function brokenOf({ host }: HostReport, { row, problem = "", again = 0 }: RowResult): string {
  const command = `host-trial --host ./adapter.ts --rows ${rows.findIndex(({ name }) => name === row) + 1}`;
  return `<li><b>${escape(host)}, ${escape(row)}</b>: ${escape(problem)} (again ${again} of 4) <code>${command}</code></li>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

const style = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1a1a1a; background: #fff }
table { border-collapse: collapse } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ccc }
.held { color: #0a6b2d } .broken { color: #b00020; font-weight: 600 } .none { color: #595959 }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616 } a { color: #8ab4f8 } .held { color: #6ddb8e } .broken { color: #ff8a94 } .none { color: #aaa } }
`;
