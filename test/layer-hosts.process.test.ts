import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { entries, hasLayer, project } from "./support/layer-project.ts";

/** A server of this machine, which answers with what it was asked. */
async function server() {
  const asked: string[] = [];
  const listening = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end(`answer to ${request.url}`);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void listening.close());
  await once(listening, "listening");
  return { port: (listening.address() as { port: number }).port, asked };
}

const planOf = (hosts: string) =>
  `version: 1\nlayer: ./\ntools:\n${entries}`.replace(
    "{ module: bash,",
    `{ module: bash, config: { network: [${hosts}] },`,
  );

/** A host of this machine is reached by its name only where the proxy is asked, too. */
const curl = "curl -sS --noproxy ''";

describe.runIf(hasLayer)("commands in a layer whose plan lists hosts", () => {
  test("reach these and no others, and ask nothing", async () => {
    const [listed, other] = [await server(), await server()];
    const { bash, call, layers } = await project(planOf(`"localhost:${listed.port}"`));

    expect(await bash(`${curl} http://localhost:${listed.port}/a?b=1`)).toBe("answer to /a?b=1");
    expect(await bash(`${curl} --proxytunnel http://localhost:${listed.port}/tunnel`)).toBe(
      "answer to /tunnel",
    );
    expect(await bash(`${curl} -d x=1 http://localhost:${listed.port}/posted > got; cat got`)).toBe(
      "answer to /posted",
    );
    expect(listed.asked).toEqual(["GET /a?b=1", "GET /tunnel", "POST /posted"]);

    const refused = await call("bash", {
      command: `${curl} http://localhost:${other.port}/; ${curl} --proxytunnel http://127.0.0.1:${listed.port}/`,
    });
    expect(refused).toMatchObject({
      data: {
        stdout: `localhost:${other.port} is not among the hosts that this plan lets commands reach\n`,
        returncode: 56,
      },
      warnings: [
        `localhost:${other.port} was refused: it is not among the hosts of network`,
        `127.0.0.1:${listed.port} was refused: it is not among the hosts of network`,
      ],
    });
    expect(other.asked).toEqual([]);
    expect((await layers.waiting("s"))!.calls.map(({ network }) => network)).toEqual([
      [`localhost:${listed.port}`],
      [`localhost:${listed.port}`],
      [`localhost:${listed.port}`],
      undefined,
    ]);
  });

  test("have no other way out: not past the proxy, and not by a socket of the machine", async () => {
    const { port, asked } = await server();
    const { bash } = await project(planOf(`"localhost:${port}"`));

    expect(await bash(`curl -sS --noproxy '*' -m 2 http://127.0.0.1:${port}/ 2>/dev/null; echo $?`)).toBe(
      "7\n",
    );
    expect(await bash(`exec 3<>/dev/tcp/127.0.0.1/${port}; echo $?`)).toBe("1\n");
    expect(await bash("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).toBe("lo\n");
    const unix = 'require("net").connect("\\\\0x").on("error", (error) => console.log(error.code))';
    expect(await bash(`node -e '${unix}'`)).toBe("EAFNOSUPPORT\n");
    expect(asked).toEqual([]);
  });

  test("see what listens in the sandbox itself, and leave no process with the host", async () => {
    const { port } = await server();
    const { bash, host } = await project(planOf(`"localhost:${port}"`));
    const own =
      'require("http").createServer((q, s) => s.end("own")).listen(8123, () => fetch("http://localhost:8123").then((r) => r.text()).then((t) => (console.log(t), process.exit())))';

    expect(await bash(`node -e '${own}'`)).toBe("own\n");
    expect(await bash("echo more >> a.txt")).toBe("");
    const layer = await host.coordinator.getCapability("host.layers")!.of("s");
    expect(await layer.isBusy()).toBe(false);
    await host.close();
  });
});
