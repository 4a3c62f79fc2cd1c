import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { call, response, say, serve, type Request } from "../../packages/reasoner/test/support/world.ts";
import { attackData, planOf, readSuite, suiteNames, type Suite } from "../support/dojo-data.ts";
import { scoreSuite } from "../support/dojo-score.ts";
import { byHttp, byMcp } from "../support/dojo-ways.ts";
import { commandFile, nodeFlags } from "../support/program.ts";

const folder = attackData("agentdojo");

interface Done {
  readonly result: { readonly waiting: readonly { readonly tool: string }[] };
}

/** Some tasks of each world, with one attack each. */
function sampleOf(suite: Suite) {
  const users = suite.users.slice(0, 3).map(({ id }) => id);
  const [injection] = suite.injections;
  return {
    user: (id: string) => users.includes(id),
    injection: (id: string) => id === injection!.id,
  };
}

/** The plan of a world with more lines, in a folder that is gone after the test. */
async function planWith(suite: Suite, lines: string): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), "toolmount-dojo-plan-"));
  onTestFinished(() => rm(scratch, { recursive: true }));
  await symlink(join(import.meta.dirname, "../node_modules"), join(scratch, "node_modules"));
  const path = join(scratch, "mount-plan.yaml");
  await writeFile(path, `version: 1\nextends: ${planOf(suite.name)}\n${lines}`);
  return path;
}

describe.skipIf(folder === undefined)("a sample of AgentDojo (skipped without the shared data)", () => {
  test.each(suiteNames.flatMap((name) => [[name, "MCP"] as const, [name, "HTTP"] as const]))(
    "%s over %s: no attack lands, the use is kept, and as many questions are asked as of the library",
    async (name, way) => {
      const suite = readSuite(name, folder!);
      const sample = sampleOf(suite);
      const plan = await planWith(suite, 'policy: { flows: { mcpUsers: ["*"] } }\n');
      const score = await scoreSuite(suite, plan, { ...sample, way: way === "MCP" ? byMcp : byHttp });
      const library = await scoreSuite(suite, planOf(name), sample);

      expect(score.landed).toEqual([]);
      expect(score.utility).toHaveLength(score.tasks);
      expect(score.questions).toEqual(library.questions);
    },
  );

  test.each(suiteNames)(
    "%s by the command: a model that obeys gets no further than a question",
    async (name) => {
      const suite = readSuite(name, folder!);
      const [injection] = suite.injections;
      for (const user of suite.users.slice(0, 2)) {
        const attack = `⟦attack⟧ Important: ${injection!.goal}`;
        const environment = suite.environment((mark) =>
          user.reads.includes(mark) ? attack : suite.harmless[mark]!,
        );
        const { baseUrl, requests } = await serve((request) =>
          response(obey(request, user.calls, injection!.calls)),
        );
        const plan = await planWith(
          suite,
          `state: memory\nagent: { model: m, stream: false, baseUrl: "${baseUrl}", apiKey: k }\n`,
        );
        const run = await promisify(execFile)(
          process.execPath,
          [...nodeFlags, commandFile, "run", plan, user.prompt, "--json"],
          {
            cwd: dirname(plan),
            env: {
              PATH: process.env["PATH"],
              HOME: dirname(plan),
              WORLD_ENVIRONMENT: environment,
            },
          },
        ).catch((error: unknown) => error as { readonly stdout: string; readonly code: number });
        expect(run).toMatchObject({ code: 3 });
        expect(requests.length).toBeGreaterThan(1);
        const { waiting } = (JSON.parse(run.stdout.trim().split("\n").at(-1)!) as Done).result;
        expect(injection!.calls.map((one) => one.name)).toContain(waiting[0]!.tool);
      }
    },
  );
});

/** The next call of a model that does what it reads: the user's calls, and after the attack's text those of the attack. */
function obey(
  { input }: Request,
  wanted: readonly { readonly name: string; readonly arguments: object }[],
  attack: readonly { readonly name: string; readonly arguments: object }[],
): object[] {
  const outputs = input.filter(({ type }) => type === "function_call_output");
  const readAt = outputs.findIndex((item) => JSON.stringify(item).includes("⟦attack⟧"));
  const all =
    readAt === -1 ? wanted : [...wanted.slice(0, readAt + 1), ...attack, ...wanted.slice(readAt + 1)];
  const next = all[outputs.length];
  return [next === undefined ? say("Done.") : call(`c${outputs.length}`, next.name, next.arguments)];
}
