// Changes one token of a package's sources at a time, and runs the package's own tests: `pnpm mutate --count 200 --seed 7`.
// A change that no test notices survives, and is printed with its place. Needs a working tree without changes below the
// packages, since it changes files where they are and puts each back; SIGINT puts the last one back, too.
import { spawn } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { mutationsOf, numbers } from "./mutations.mjs";

const root = dirname(import.meta.dirname);
const { values } = parseArgs({
  options: {
    packages: { type: "string", default: "core,loader,policy,store,paths,reasoner" },
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    from: { type: "string", default: "0" },
    report: { type: "string", default: ".reports/mutations.json" },
  },
});

/** Tests of minutes: they run only for a mutation that all others let live. */
const slow = /\/(?:kill|storm|race|hostile-plans|lost-connection|conformance)[\w-]*(?:\.test\.ts|\/)/;

const packages = values.packages.split(",").map((name) => `packages/${name}`);
const chosen = draw(Number(values.count)).slice(Number(values.from));
const results = [];
let restore = () => undefined;
process.once("SIGINT", () => {
  restore();
  process.exit(130);
});

for (const one of chosen) {
  const end = await tryMutation(one);
  results.push({ ...one, end });
  const place = `${one.path}:${one.line}`;
  console.log(`${end} ${place}  ${JSON.stringify(one.before)} -> ${JSON.stringify(one.after)}`);
  mkdirSync(dirname(join(root, values.report)), { recursive: true });
  writeFileSync(join(root, values.report), `${JSON.stringify(results, null, 2)}\n`);
}
const survivors = results.filter(({ end }) => end === "survived");
console.log(`${results.length - survivors.length} of ${results.length} killed`);

/** Draws mutations: a package by turns, so that a small one has as many as a large one, then a place in it. */
function draw(count) {
  const random = numbers(Number(values.seed));
  const pools = packages.map((folder) =>
    globSync(`${folder}/src/**/*.ts`, { cwd: root, exclude: ["**/index.ts", "**/*.d.ts"] })
      .toSorted()
      .flatMap((path) => mutationsOf(path, readFileSync(join(root, path), "utf8"))),
  );
  return Array.from({ length: count }, (_, at) => {
    const pool = pools[at % pools.length];
    return pool.splice(Math.floor(random.next().value * pool.length), 1)[0];
  }).filter((one) => one !== undefined);
}

/** Runs the tests beside the file first, since they most often notice; then the package's others; then the slow ones. */
async function tryMutation({ path, start, end, after }) {
  const file = join(root, path);
  const code = readFileSync(file, "utf8");
  restore = () => writeFileSync(file, code);
  try {
    writeFileSync(file, code.slice(0, start) + after + code.slice(end));
    for (const tests of stagesOf(path)) if (tests.length > 0 && !(await passes(tests))) return "killed";
    return "survived";
  } finally {
    restore();
  }
}

function stagesOf(path) {
  const [group, name] = path.split("/");
  const home = join(group, name, "test");
  const all = globSync(`${home}/**/*.test.ts`, { cwd: root }).toSorted();
  const mirror = join(home, relative(join(group, name, "src"), path)).replace(/\.ts$/, "");
  const near = all.filter((test) => test.startsWith(mirror) || dirname(test) === dirname(mirror));
  const rest = all.filter((test) => !near.includes(test));
  return [
    near.filter((test) => !slow.test(test)),
    rest.filter((test) => !slow.test(test)),
    all.filter((test) => slow.test(test)),
  ];
}

/** A run that hangs is ended after twenty minutes; a mutation that makes tests hang is noticed. */
function passes(tests) {
  const words = ["run", "--project", "unit*", "--bail", "1", "--reporter", "dot", ...tests];
  const child = spawn("vitest", words, { cwd: root, stdio: "ignore", detached: true });
  const end = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  const limit = setTimeout(end, 1_200_000);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve(code === 0);
    });
  });
}
