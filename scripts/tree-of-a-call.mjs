// Prints which files and functions of the packages one plain call enters, as a tree of folders:
// `pnpm call-tree` calls agent_hello_world in a host of its own. Source of the figures: V8's precise coverage, which counts each function's calls.
import { Session } from "node:inspector/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createHost } from "@toolmount/core";
import { mount } from "@toolmount/tool-hello-world";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const host = createHost();
await mount(host.coordinator, {});
const entered = await functionsEnteredBy(() =>
  host.call({ name: "agent_hello_world", arguments: '{"name":"Ada"}' }).then(requireOk),
);
await host.close();
printTree(entered);

/** Functions entered while `act` runs, by the path of their source file. */
async function functionsEnteredBy(act) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await act();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return new Map(
    result
      .filter(({ url }) => url.startsWith("file:"))
      .map(({ url, functions }) => [relative(root, fileURLToPath(url)), functions.filter(isEntered)])
      .filter(([path, functions]) => /^(?:packages|tools)\/[^/]+\/src\//.test(path) && functions.length > 0)
      .map(([path, functions]) => [path, functions.map(({ functionName }) => functionName || "(anonymous)")]),
  );
}

function isEntered({ ranges }) {
  return ranges.some(({ count }) => count > 0);
}

function requireOk({ status, result }) {
  if (status !== "ok") throw new Error(`the call ended ${status}: ${result.error}`);
}

function printTree(files) {
  const folders = Map.groupBy(
    [...files.keys()].toSorted((a, b) => (a < b ? -1 : 1)),
    (path) => dirname(path),
  );
  for (const [folder, paths] of [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(folder);
    for (const path of paths)
      console.log(`  ${path.slice(folder.length + 1)}: ${[...new Set(files.get(path))].join(", ")}`);
  }
  console.log(
    `\n${folders.size} folders, ${files.size} files, ${[...files.values()].flat().length} functions`,
  );
}
