import { join } from "node:path";
import { expect, test } from "vitest";
import { mountFar } from "../src/far/mount-far.ts";

/** Mounts a module of the folder `modules` as a process of its own does. */
function mount(name: string) {
  const specifier = join(import.meta.dirname, `modules/${name}.ts`);
  const module = { specifier, config: {} };
  const message = {
    type: "mount",
    module,
    folder: "/tmp",
    protectedPaths: [],
    secretPaths: [],
    describe: false,
    grants: { hooks: [], capabilities: [], given: {} },
  } as const;
  return mountFar(message, () => Promise.reject(new Error("there is no host")));
}

test("a process recognises a module as the host does: a class of another contract beside a tool of ours", async () => {
  const { tools } = await mount("mixed");

  expect([...tools.keys()]).toEqual(["weather", "by_hand"]);
});

test("a process refuses a module that the host would refuse, in the same words", async () => {
  await expect(mount("empty")).rejects.toMatchObject({
    code: "MODULE_INVALID",
    message: expect.stringContaining("greeting"),
  });
});
