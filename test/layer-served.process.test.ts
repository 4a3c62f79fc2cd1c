import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Waiting } from "@toolmount/workers";
import { describe, expect, test } from "vitest";
import { serve, type Ask } from "../packages/http/test/support/world.ts";
import { hasLayer, project } from "./support/layer-project.ts";

const path = "/api/v1/hosts/default/sessions/s/layer";

/** A project with a layer, served over HTTP, and what waits after a session has worked in it. */
async function served() {
  const world = await project();
  const { ask } = await serve({ default: { host: world.host, layers: world.layers } });
  const work = "echo more >> a.txt; rm src/b.txt; echo 'export X=1' > .envrc; echo new > new.txt";
  expect(await world.bash(work)).toBe("");
  return { ...world, ask, has: (name: string) => existsSync(join(world.folder, name)) };
}

async function waiting(ask: Ask): Promise<Waiting> {
  const { status, body } = await ask("GET", path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body["layer"] as unknown as Waiting;
}

describe.runIf(hasLayer)("the layer of a session over HTTP", () => {
  test("is shown: entries, sections, lines, what runs and which calls made it, and each difference", async () => {
    const { ask, call } = await served();
    await call("bash", { command: "sleep 604", run_in_background: true });
    const { changes, running, calls, digest } = await waiting(ask);
    expect(changes).toMatchObject([
      { path: ".envrc", section: "obeyed", change: "create", kind: "file", lines: { added: 1, removed: 0 } },
      { path: "a.txt", section: "files", change: "change", lines: { added: 1, removed: 0 } },
      { path: "new.txt", section: "files", change: "create", mode: null },
      { path: "src/b.txt", section: "deletions", change: "delete", lines: { added: 0, removed: 1 } },
    ]);
    expect(running).toEqual(["sleep 604"]);
    expect(calls.map(({ tool }) => tool)).toEqual(["bash", "bash"]);
    expect(digest).toMatch(/^[\da-f]{64}$/);
    const { body } = await ask("GET", `${path}?path=a.txt`);
    expect(body).toEqual({ layer: null, difference: " one\n+more", conflict: null });
    expect((await ask("GET", "/api/v1/hosts/default/layers")).body).toEqual({
      sessions: [{ session: "s", changes: 4 }],
    });
    expect((await ask("GET", "/api/v1/hosts/default/sessions/none/layer")).body["layer"]).toBeNull();
  });

  test("is kept in part, by sections and files, by a person who answers questions; the rest is dropped", async () => {
    const { ask, read, has, host, bash } = await served();
    const { digest } = await waiting(ask);
    const some = await ask("POST", path, {
      body: { digest, sections: ["files"], paths: ["a.txt"], person: "Ada" },
    });
    expect(some.body).toMatchObject({ outcome: { status: "ok", result: { data: { kept: 1 } } } });
    expect([read("a.txt"), has("new.txt"), has("src/b.txt"), has(".envrc")]).toEqual([
      "one\nmore\n",
      false,
      true,
      false,
    ]);
    const { digest: next, changes } = some.body["layer"] as unknown as Waiting;
    expect(changes).toHaveLength(3);
    const dropped = await ask("POST", path, { body: { digest: next, drop: true } });
    expect(dropped.body).toMatchObject({
      outcome: { result: { data: { dropped: 3 } } },
      layer: { changes: [] },
    });
    expect((await host.session("s").changes()).slice(-2)).toMatchObject([
      { tool: "keep_changes", arguments: { sections: ["files"], paths: ["a.txt"], by: "Ada (operator)" } },
      { tool: "drop_changes", arguments: { by: "operator" }, irreversible: expect.any(String) },
    ]);
    expect((await ask("POST", "/api/v1/hosts/default/sessions/s/undo", { body: {} })).body).toMatchObject({
      undone: [{ tool: "keep_changes" }],
    });
    expect(read("a.txt")).toBe("one\n");
    expect(await bash("ls")).toBe("a.txt\nmount-plan.yaml\npackage.json\nsrc\n");
  });

  test("is not kept by a yes to another difference, whose answer has the new one", async () => {
    const { ask, bash, read } = await served();
    const { digest } = await waiting(ask);
    await bash("echo late > late.txt");
    for (const answer of [{ sections: ["files"] }, { drop: true }]) {
      const { status, body } = await ask("POST", path, { body: { digest, ...answer } });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        outcome: { status: "failed", result: { code: "DIFFERENCE_CHANGED" } },
        layer: { changes: expect.arrayContaining([expect.objectContaining({ path: "late.txt" })]) },
      });
    }
    expect(read("a.txt")).toBe("one\n");
  });

  test("is neither shown to nor kept by the token of an agent, and no call keeps it", async () => {
    const { ask, call, read } = await served();
    const { digest } = await waiting(ask);
    const answer = { digest, sections: ["files"] };
    for (const as of ["caller", "ana"] as const) {
      expect((await ask("GET", path, { as })).status).toBe(403);
      expect((await ask("GET", "/api/v1/hosts/default/layers", { as })).status).toBe(403);
      expect((await ask("POST", path, { as, body: answer })).status).toBe(403);
      const given = { tool: "keep_changes", sessionId: "s", arguments: answer };
      expect((await ask("POST", "/api/v1/hosts/default/calls", { as, body: given })).body).toMatchObject({
        result: { code: "TOOL_NOT_FOUND" },
      });
    }
    expect(await call("drop_changes", { digest })).toMatchObject({ code: "TOOL_NOT_FOUND" });
    expect((await ask("POST", path, { body: { digest } })).status).toBe(400);
    expect(read("a.txt")).toBe("one\n");
  });

  test("with a file that the user changed, too, is a conflict, and nothing is kept", async () => {
    const { ask, folder, read, has, run } = await served();
    run("git add a.txt && git -c user.name=a -c user.email=a commit -qm one");
    const { digest } = await waiting(ask);
    writeFileSync(join(folder, "a.txt"), "mine\n");
    expect((await waiting(ask)).conflicts).toEqual([{ path: "a.txt", reason: "the person changed it" }]);
    expect((await ask("GET", `${path}?path=a.txt`)).body).toEqual({
      layer: null,
      difference: "-mine\n+one\n+more",
      conflict: { person: "-one\n+mine", session: " one\n+more" },
    });
    const { body } = await ask("POST", path, { body: { digest, sections: ["files"] } });
    expect(body).toMatchObject({
      outcome: { result: { code: "KEEP_CONFLICT", details: { conflicts: ["a.txt"] } } },
      layer: { digest },
    });
    expect([read("a.txt"), has("new.txt")]).toEqual(["mine\n", false]);
  });

  test("is one of two servers, which hand it over; the one with a command in the background keeps it", async () => {
    const first = await served();
    const other = await first.open();
    const second = await serve({ default: { host: other.host, layers: other.layers } });
    const { digest } = await waiting(second.ask);
    expect(await first.bash("cat new.txt")).toBe("new\n");
    const kept = await second.ask("POST", path, { body: { digest, sections: ["files"] } });
    expect(kept.body).toMatchObject({ outcome: { status: "ok" } });
    expect(await first.bash("cat new.txt; ls -A")).toBe(
      "new\n.envrc\n.git\n.toolmount\na.txt\nmount-plan.yaml\nnew.txt\npackage.json\nsrc\n",
    );
    await first.call("bash", { command: "sleep 605", run_in_background: true });
    const shown = await second.ask("GET", path);
    expect(shown).toMatchObject({ status: 409, body: { code: "SESSION_CONFLICT" } });
    expect(await second.ask("POST", path, { body: { digest, sections: ["files"] } })).toMatchObject({
      status: 409,
    });
    expect((await waiting(first.ask)).changes.map(({ path: each }) => each)).toEqual([".envrc", "src/b.txt"]);
  });
});
