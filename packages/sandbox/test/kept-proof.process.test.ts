import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Target } from "../src/proof/attempts.ts";
import { proveSandbox } from "../src/index.ts";
import { allStopped, bubblewrap, reporting } from "./fake-bubblewrap.ts";

describe.runIf(process.platform === "linux")("a proof that passed", () => {
  /** Proves as another process does, which has not proved before. */
  async function prove(world: ReturnType<typeof bubblewrap>) {
    world.env.PATH += ":";
    world.forget();
    const { problem } = await proveSandbox({ kind: "closed", env: world.env });
    return problem === null ? world.runs() : problem;
  }
  const passing = () => bubblewrap(reporting(allStopped("closed")));
  const keptIn = ({ home }: { home: string }) => join(home, ".cache/toolmount/sandbox-proofs");

  test("is kept in a file of the user's cache that only the user can read", async () => {
    const world = passing();
    expect([await prove(world), await prove(world)]).toEqual([true, false]);
    const [name = "", ...others] = readdirSync(keptIn(world));
    expect([name, others]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), []]);
    const file = lstatSync(join(keptIn(world), name));
    expect([file.mode & 0o777, file.size, file.uid]).toEqual([0o600, 0, process.getuid!()]);
    for (const folder of [".cache", ".cache/toolmount", ".cache/toolmount/sandbox-proofs"])
      expect(statSync(join(world.home, folder)).mode & 0o777).toBe(0o700);
  });

  test("leaves the folders that are there, and counts no more when bubblewrap has changed", async () => {
    const world = passing();
    mkdirSync(join(world.home, ".cache"), { mode: 0o755 });
    expect([await prove(world), await prove(world)]).toEqual([true, false]);
    expect(statSync(join(world.home, ".cache")).mode & 0o777).toBe(0o755);
    utimesSync(join(world.folder, "bwrap"), 1, 1);
    expect([await prove(world), await prove(world)]).toEqual([true, false]);
    expect(readdirSync(keptIn(world))).toHaveLength(2);
  });

  test("is not kept where a folder or a link is in its place, or where the home is not there", async () => {
    const world = passing();
    expect(await prove(world)).toBe(true);
    const file = join(keptIn(world), readdirSync(keptIn(world))[0]!);
    rmSync(file);
    mkdirSync(file);
    expect([await prove(world), await prove(world)]).toEqual([true, true]);
    rmSync(file, { recursive: true });
    symlinkSync(join(world.folder, "bwrap"), file);
    expect([await prove(world), await prove(world)]).toEqual([true, true]);
    // What the link leads to is as it was.
    expect(statSync(join(world.folder, "bwrap")).size).toBeGreaterThan(100);
    world.env.HOME = join(world.folder, "no home");
    expect([await prove(world), await prove(world)]).toEqual([true, true]);
    expect(existsSync(world.env.HOME)).toBe(false);
  });

  test("is not kept where the home cannot be read, such as that of another user", async () => {
    const world = passing();
    world.env.HOME = join(world.folder, "circle");
    symlinkSync("circle", world.env.HOME);
    expect([await prove(world), await prove(world)]).toEqual([true, true]);
  });

  test("is not kept where there is no home, whose folder is then the root", async () => {
    const world = passing();
    const { HOME: _, ...env } = world.env;
    for (const PATH of [env.PATH, `${env.PATH}:`]) {
      world.forget();
      expect((await proveSandbox({ kind: "closed", env: { PATH } })).problem).toBeNull();
      expect(world.runs()).toBe(true);
    }
    const target = JSON.parse(world.words().at(-1)!) as Target;
    expect(target.home.path).toBe("/");
  });

  test("counts for its kind only", async () => {
    const world = bubblewrap(reporting({ ...allStopped("closed"), ...allStopped("wall") }));
    const proves = async (kind: "closed" | "wall") => {
      world.forget();
      expect((await proveSandbox({ kind, env: world.env })).problem).toBeNull();
      return world.runs();
    };
    expect([await proves("closed"), await proves("wall"), await proves("wall")]).toEqual([true, true, false]);
  });
});
