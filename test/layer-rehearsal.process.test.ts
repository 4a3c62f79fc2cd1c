import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { entries, hasLayer, project } from "./support/layer-project.ts";

describe.runIf(hasLayer)("a rehearsal in a session's layer", () => {
  test("runs commands and file tools whole, on a copy, and shows what each would change", async () => {
    const { host, bash, folder, read } = await project();
    await bash("echo mine >> a.txt; echo x > made");
    const rehearsal = host.session("s").rehearse();
    const call = async (name: string, given: object) =>
      (await rehearsal.call({ name, arguments: { ...given } })).result;
    const shell = async (command: string) => (await call("bash", { command })).data;

    expect(await shell("cat a.txt; sed -i s/two/2/ src/b.txt; rm made; cat src/b.txt")).toMatchObject({
      stdout: "one\nmine\n2\n",
    });
    expect(await call("write_file", { file_path: "src/c.txt", content: "three\n" })).toMatchObject({
      data: expect.anything() as unknown,
    });
    expect(await call("grep", { pattern: "three", output_mode: "files_with_matches" })).toMatchObject({
      data: { files: ["src/c.txt"] },
    });
    expect(await shell("rm -r src; echo e > .envrc; exit 3")).toMatchObject({ returncode: 3 });

    expect(rehearsal.stopped).toBe(null);
    expect(rehearsal.calls.map(({ tool, isModelled, effects }) => [tool, isModelled, effects])).toEqual([
      [
        "bash",
        true,
        [
          { target: "src/b.txt", change: "change", difference: expect.stringContaining("+2") },
          { target: "made", change: "delete" },
        ],
      ],
      [
        "write_file",
        true,
        [{ target: "src/c.txt", change: "create", difference: expect.stringContaining("+three") }],
      ],
      [
        "bash",
        true,
        [
          { target: ".envrc", change: "create", difference: expect.stringContaining("+e") },
          { target: "src", change: "delete" },
        ],
      ],
    ]);
    expect(await bash("cat a.txt made src/b.txt; ls src")).toBe("one\nmine\nx\ntwo\nb.txt\n");
    expect(read("a.txt")).toBe("one\n");
    await host.close();
    const left = readdirSync(join(folder, ".toolmount/layers")).filter((name) => name.startsWith("fork-"));
    expect(left).toEqual([]);
  });

  test("reaches neither the network nor files outside, where the real calls may", async () => {
    const outside = await project();
    const plan = `version: 1\nlayer: ./\npolicy: { allow: [bash] }\ntools:\n${entries}`;
    const settings = `config: { network: true, allowed_write_paths: [., ${outside.folder}] }`;
    const { host, bash } = await project(plan.replace("{ module: bash,", `{ module: bash, ${settings},`));
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const script = `require("net").connect(${port}, "127.0.0.1", () => process.exit()).on("error", () => process.exit(1))`;
    const command = `node -e '${script}' && echo connected; touch ${outside.folder}/x 2>/dev/null && echo wrote; true`;
    const { result } = await host.session("s").rehearse().call({ name: "bash", arguments: { command } });

    expect(result).toMatchObject({ data: { stdout: "" } });
    expect(existsSync(join(outside.folder, "x"))).toBe(false);
    expect(await bash(command)).toBe("connected\nwrote\n");
  });
});
