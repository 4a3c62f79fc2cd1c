import { expect, test } from "vitest";
import { config } from "../src/mount/config.ts";

test.each([
  ["npx -y some-server", 120_000],
  ["C:\\node\\npx.cmd some-server", 120_000],
  ["/usr/bin/uvx some-server", 120_000],
  ["bunx some-server", 120_000],
  ["npm exec some-server", 120_000],
  ["pnpm --silent dlx some-server", 120_000],
  ["uv run server.py", 120_000],
  ["pipx run some-server", 120_000],
  ["docker run -i --rm some/server", 120_000],
  ["podman run -i some/server", 120_000],
  ["docker exec -i some sh", 30_000],
  ["npm start", 30_000],
  ["node npx", 30_000],
  ["./run some", 30_000],
])("a server that is started with %s has %i ms to answer", (words, limit) => {
  const [command, ...args] = words.split(" ");
  expect(config.parse({ name: "some", command, args }).startTimeoutMs).toBe(limit);
  expect(config.parse({ name: "some", command, args, startTimeoutMs: 5 }).startTimeoutMs).toBe(5);
});

test("a server over HTTP has thirty seconds to answer", () => {
  expect(config.parse({ name: "some", url: "https://some.example/npx" }).startTimeoutMs).toBe(30_000);
});
