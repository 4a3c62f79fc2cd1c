import { expect, test } from "vitest";
import { readRemote, readSource } from "../../src/modules/source.ts";

const folder = "/plans";

test.each([
  { module: "filesystem", names: ["@toolmount/tool-filesystem", "toolmount-tool-filesystem"] },
  { module: "tool-fs", names: ["@toolmount/tool-fs", "toolmount-tool-fs"] },
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

test.each<[string, object]>([
  ["npm:@acme/weather@^2", { kind: "npm", name: "@acme/weather", range: "^2" }],
  ["npm:weather@1.2.3 - 2", { kind: "npm", name: "weather", range: "1.2.3 - 2" }],
  [
    "git+https://example.com/acme/x.git@main",
    { kind: "git", url: "https://example.com/acme/x.git", ref: "main", subdirectory: "" },
  ],
  [
    "git+ssh://git@example.com/acme/x@feature/y#subdirectory=packages/z",
    { kind: "git", url: "ssh://git@example.com/acme/x", ref: "feature/y", subdirectory: "packages/z" },
  ],
  [
    "git+https://example.com:8443/x",
    { kind: "git", url: "https://example.com:8443/x", ref: undefined, subdirectory: "" },
  ],
])("AMP-N11: the source %j is a package to be fetched by a command", (source, from) => {
  expect(readSource({ module: "label", source }, folder)).toMatchObject({
    kind: "fetched",
    written: source,
    from,
  });
});

test("two ranges of one package are two packages", () => {
  const alias = (source: string) => (readSource({ module: "x", source }, folder) as { alias: string }).alias;

  expect(alias("npm:@acme/weather@^2")).not.toBe(alias("npm:@acme/weather@^3"));
  expect(alias("npm:@acme/weather@^2")).toMatch(/^acme-weather-[0-9a-f]{10}$/);
});

test.each([
  "npm:weather@",
  "npm:weather@--ignore-scripts=false",
  "npm:weather@file:../x",
  "npm:weather@$(id)",
  "git://example.com/x",
  "git+http://example.com/x",
  "git+ext::sh -c id",
  "git+https://name:secret@example.com/x",
  "git+https://token@example.com/x",
  "git+https://--upload-pack=x/y",
  "git+https://example.com/../x",
  "git+https://example.com",
  "git+https://example.com/x@--upload-pack=id",
  "git+https://example.com/x@a..b",
  "git+https://example.com/x@$(id)",
  "git+https://example.com/x#subdirectory=../y",
  "git+https://example.com/x#subdirectory=/etc",
  "git+https://example.com/x#subdirectory=a/-b",
  "git+https://example.com/x#path=y",
  "zip:+x",
])("the source %j is refused, before anything could be fetched", (source) => {
  expect(() => readSource({ module: "label", source }, folder)).toThrow(
    expect.objectContaining({ code: "SOURCE_REFUSED" }) as Error,
  );
});

test.each([
  ["npm:weather", { name: "weather", entry: "", hasVersion: false }],
  ["npm:@acme/weather/tools", { name: "@acme/weather", entry: "/tools", hasVersion: false }],
  ["npm:@acme/weather@^1/tools", { name: "@acme/weather", entry: "/tools", hasVersion: true }],
  ["git+https://git.example/acme/weather.git@main", { name: "weather", entry: "", hasVersion: true }],
  ["git+ssh://git@git.example/acme/all#subdirectory=x/mail", { name: "mail", entry: "", hasVersion: true }],
])("the module of %s is named %o", (written, named) => {
  expect(readRemote(written)).toEqual(named);
});

test.each([
  "git+ssh://-oProxyCommand=touch/x",
  "git+ssh://-host/acme/tools",
  "git+https://name:word@host.example/acme/tools",
])("%s is refused before git could read it as an option, or its log a password", (source) => {
  expect(() => readSource({ module: "m", source }, folder)).toThrow(
    expect.objectContaining({ code: "SOURCE_REFUSED" }),
  );
});

test.each(["http", "https", "data", "node", "blob", "javascript"])(
  "a source that begins with %s: says that a plan cannot import such code",
  (scheme) => {
    expect(() => readSource({ module: "m", source: `${scheme}:x` }, folder)).toThrow(
      `a plan cannot import ${scheme}: modules; name a package or a file`,
    );
  },
);
