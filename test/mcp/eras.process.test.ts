import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import { connectCommand, linkPackages } from "./support/command.ts";
import { folderOf, planOf, serverOf, until } from "./support/world.ts";

const eras = ["legacy", "modern"] as const;

// Over HTTP the same four pairs are in http.process.test.ts.
test.each(eras.flatMap((client) => eras.map((server) => [client, server] as const)))(
  "over stdio, a %s client of a %s server sees progress, cancels, and learns that the tools changed",
  async (clientEra, serverEra) => {
    const folder = await folderOf({ "words.txt": "Echoes a text." });
    const source = { ...serverOf("--words", join(folder, "words.txt")), era: serverEra };
    await writeFile(join(folder, "plan.yaml"), stringify(planOf(source)));
    await linkPackages(folder);
    let changes = 0;
    const client = await connectCommand(
      ["plan.yaml"],
      { cwd: folder },
      {
        versionNegotiation: { mode: clientEra === "legacy" ? "legacy" : { pin: "2026-07-28" } },
        listChanged: { tools: { autoRefresh: false, onChanged: () => void changes++ } },
      },
    );
    const where = async () =>
      (await client.callTool({ name: "where_am_I_", arguments: {} })).structuredContent as {
        readonly era: string;
        readonly cancelled: number;
      };
    const described = async () =>
      (await client.listTools()).tools.find(({ name }) => name === "echo")?.description;

    const controller = new AbortController();
    const seen: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }) => {
      seen.push(progress);
      if (progress === 3) controller.abort("enough");
    };
    const slow = client.callTool({ name: "slow", arguments: {} }, { signal: controller.signal, onprogress });
    await expect(slow).rejects.toThrow(/enough|cancel|abort/i);

    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
    expect(client.getProtocolEra()).toBe(clientEra);
    await until(async () => (await where()).cancelled === 1);
    expect((await where()).era).toBe(serverEra);
    await writeFile(join(folder, "words.txt"), "Echoes twice.");
    await client.callTool({ name: "change", arguments: {} });
    await until(() => changes > 0);
    await until(async () => (await described()) === "Echoes twice.");
  },
);
