import { expect, test } from "vitest";
import { readSource } from "../src/source.ts";

const folder = "/plans";

test.each([
  { module: "filesystem", names: ["@toolmount/tool-filesystem", "toolmount-tool-filesystem"] },
  { module: "fs", names: ["@toolmount/tool-fs", "toolmount-tool-fs"] },
  { module: "@acme/weather", names: ["@acme/weather"] },
  { module: "label", source: "npm:weather", names: ["weather"] },
  { module: "label", source: "npm:@acme/weather", names: ["@acme/weather"] },
])("AMP-N11: $module $source is looked for as $names", ({ module, source, names }) => {
  expect(readSource({ module, source }, folder)).toMatchObject({ kind: "package", names });
});

test.each([
  { written: "./weather.ts", path: "/plans/weather.ts" },
  { written: "../weather", path: "/weather" },
  { written: "/opt/weather", path: "/opt/weather" },
  { written: "file:///opt/my%20weather", path: "/opt/my weather" },
  { written: "file:./weather", path: "/plans/weather" },
  { written: ".", path: "/plans" },
])("AMP-N11: $written is the path $path, relative to the plan", ({ written, path }) => {
  expect(readSource({ module: "label", source: written }, folder)).toMatchObject({ kind: "path", path });
  expect(readSource({ module: written }, folder)).toMatchObject({ kind: "path", path });
});

test.each([
  "http://evil.example/x.js",
  "https://evil.example/x.js",
  "HTTPS://evil.example/x.js",
  "data:text/javascript,export const mount = 1",
  "DATA:text/javascript,1",
  "node:fs",
  "blob:x",
  "npm:fs",
  "npm:node:fs",
  "npm:../x",
  "npm:",
  "file://host/x",
  " data:text/javascript,1",
  "a/../../b",
  "@acme/../x",
  "@acme/x/../../y",
  "@acme",
  "a b",
  "x\0",
  "x".repeat(300),
])("the source %j is refused", (source) => {
  expect(() => readSource({ module: "label", source }, folder)).toThrow(
    expect.objectContaining({ code: "SOURCE_REFUSED" }) as Error,
  );
});

test.each([
  "git+https://example.com/x.git@main",
  "git+ssh://example.com/x",
  "npm:@acme/weather@^2",
  "zip:+x",
])("the source %j, which a later version fetches, is told to be missing", (source) => {
  expect(() => readSource({ module: "label", source }, folder)).toThrow(
    expect.objectContaining({ code: "EXTENSION_MISSING" }) as Error,
  );
});
