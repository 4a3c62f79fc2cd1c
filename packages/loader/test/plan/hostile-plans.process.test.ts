import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heavyPlans, hostilePlans, type HostileEnd, type HostilePlan } from "../hostile-plans.ts";

const run = promisify(execFile);
const child = join(import.meta.dirname, "../hostile-child.ts");

/** How a plan ended, as the child process reported it. */
interface Ending {
  readonly end: string;
  readonly message?: string;
  readonly problems?: readonly {
    readonly code: string;
    readonly message: string;
    readonly frame?: string;
    readonly line?: number;
    readonly file?: string;
  }[];
  readonly file?: string;
  readonly line?: number;
  readonly polluted: unknown;
  readonly grown: number;
  readonly unhandled: readonly unknown[];
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolmount-hostile-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes plans, and opens them in one process with 512 MB. A process that hangs is ended, and reports nothing. */
async function openAll(
  plans: readonly (readonly [string, string | Uint8Array])[],
  timeout: number,
): Promise<(Ending | undefined)[]> {
  const files = await Promise.all(
    plans.map(async ([id, text]) => {
      const file = join(folder, id, "plan.yaml");
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    }),
  );
  const flags = ["-C", "@toolmount/source", "--max-old-space-size=512"];
  const { stdout } = await run(process.execPath, [...flags, child, ...files], {
    timeout,
    maxBuffer: 2 ** 28,
    killSignal: "SIGKILL",
  }).catch((error: { stdout: string }) => error);
  const endings = new Map(
    stdout
      .split("\n")
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line) as Ending & { plan: string })
      .map((line) => [line.plan, line] as const),
  );
  return files.map((file) => endings.get(file));
}

function expectEnd(endings: Ending | undefined, end: HostileEnd): void {
  expect(endings, "it hung or crashed").toBeDefined();
  expect(endings).toMatchObject({ polluted: null, grown: 0, unhandled: [] });
  expect(JSON.stringify(endings)).not.toContain("canary-5f2e91c7");
  if (end === "opens") expect(endings).toMatchObject({ end: "opened" });
  else if (end === "refused" || endings?.end !== "opened") expectRefused(endings!);
}

/** Refused, with a place, in few words, without a stack. */
function expectRefused({ end, problems = [], message = "", file, line }: Ending): void {
  expect({ end, message: message.slice(0, 300) }).toMatchObject({ end: "PLAN_INVALID" });
  expect(file).toContain("plan.yaml");
  expect(line).toBeGreaterThan(0);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.length).toBeLessThanOrEqual(100);
  expect(message).not.toMatch(/\n\s+at .*\.[jt]s:\d+/);
  expect(message.length).toBeLessThan(400_000);
  expect(message).not.toMatch(/(?!\n)\p{Cc}/u);
}

describe("hostile plans", () => {
  let endings: (Ending | undefined)[] = [];
  beforeAll(async () => {
    endings = await openAll(
      hostilePlans.map(([, text], index) => [`p${index}`, text] as const),
      600_000,
    );
  });

  test.each(hostilePlans.map(([why, , end], index) => [why, end, index] as const))(
    "%s: %s",
    (_, end, index) => {
      expectEnd(endings[index], end);
    },
  );
});

describe("plans that would take long or much, each in a process of its own", () => {
  test.each(heavyPlans.map((plan, index) => [...plan, index] as const))(
    "%s",
    async (...[, text, end, index]: readonly [...HostilePlan, number]) => {
      const [endings] = await openAll([[`h${index}`, text]], 300_000);

      expectEnd(endings, end);
    },
  );
});

const sample = join(import.meta.dirname, "../../../../../shared/fixtures/security/yaml-plans.json");

interface Sample {
  readonly id: string;
  readonly yaml?: string;
  readonly parts?: readonly (string | { readonly repeat: string; readonly times: number })[];
  readonly outcome: string;
  readonly why: string;
}

const ends: Readonly<Record<string, HostileEnd>> = {
  ok: "opens",
  error: "refused",
  limit: "refused",
  "limit-or-error": "refused",
  "no-pollution": "safe",
};

function textOf({ yaml, parts = [] }: Sample): string {
  const joined = parts
    .map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times)))
    .join("");
  return (yaml ?? joined)
    .replaceAll("@TOOLS@", "tools")
    .replaceAll("@MODULE@", "module")
    .replaceAll("@CONFIG@", "config")
    .replaceAll("@CALC@", "calc");
}

test("the shared sample of hostile plans ends as it says", async ({ skip }) => {
  skip(!existsSync(sample), `${sample} does not exist; only this folder's table was tried`);
  const { items } = JSON.parse(readFileSync(sample, "utf8")) as { items: Sample[] };
  const endings = await openAll(
    items.map((item) => [item.id, textOf(item)] as const),
    50_000,
  );

  for (const [index, { outcome }] of items.entries()) {
    expect(ends[outcome]).toBeDefined();
    expectEnd(endings[index], ends[outcome]!);
  }
});

test("the table is at least ten times as long as the sample", () => {
  expect(hostilePlans.length + heavyPlans.length).toBeGreaterThanOrEqual(150);
});
