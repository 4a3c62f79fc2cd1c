import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { desktopFile } from "../../src/clients/mcp-clients.ts";
import { platformFinding } from "../../src/host/machine.ts";
import { platformSupport, unsupportedOn } from "../../src/host/platform-support.ts";
import { openerOf } from "../../src/process/open-browser.ts";

const page = join(import.meta.dirname, "../../../../docs/reference/platforms.md");

test("docs/reference/platforms.md has the table that doctor reads (TOOLMOUNT_WRITE=1 writes it)", async () => {
  const written = await readFile(page, "utf8");
  const [first = ""] = /(?:^\|.*\|\n)+/m.exec(written) ?? [];
  const rows = (first.match(/^\|.*\|$/gm) ?? []).map(cellsOf);
  const expected = platformSupport.map(({ part, linux, darwin, win32 }) => [part, linux, darwin, win32]);
  if (process.env["TOOLMOUNT_WRITE"] === "1")
    await writeFile(
      page,
      written.replace(/(\| *-.*\|\n)(?:\|.*\|\n)*/, `$1${expected.map(lineOf).join("")}`),
    );
  else expect(rows.slice(2)).toEqual(expected);
});

test("doctor says on Windows and macOS what is missing, and nothing on Linux", () => {
  expect(platformFinding("linux")).toEqual({
    what: "platform",
    state: "ok",
    says: "linux has all that toolmount can do",
  });
  expect(platformFinding("darwin")).toMatchObject({ state: "missing" });
  expect(platformFinding("darwin").says).toContain("SANDBOX_UNAVAILABLE; use srt");
  expect(platformFinding("darwin").says).not.toContain("CONFIG_INVALID");
  expect(platformFinding("win32").says).toContain("not supported yet");
  expect(platformFinding("win32").says).toContain("the bash tools: refused with CONFIG_INVALID");
  expect(platformFinding("freebsd").says).toBe(
    "freebsd: not supported; Linux and macOS are (docs/reference/platforms.md)",
  );
});

test("a platform lacks what it has not, or has in another way than Linux", () => {
  expect(unsupportedOn("linux")).toEqual([]);
  for (const platform of ["darwin", "win32"] as const) {
    const lacks = unsupportedOn(platform);
    for (const { part, linux, [platform]: has } of platformSupport) {
      const line = `${part}: ${has}`.replaceAll("`", "");
      expect([line, lacks.includes(line)]).toEqual([line, has !== "yes" && has !== linux]);
    }
  }
});

test.each([
  ["linux", ["xdg-open"]],
  ["darwin", ["open"]],
  // cmd.exe's `start` would read & and ^ of an address.
  ["win32", ["rundll32", "url.dll,FileProtocolHandler"]],
] as const)("an address is opened on %s by %j", (platform, opener) => {
  expect(openerOf(platform)).toEqual(opener);
});

test.each([
  ["linux", "/home/ada/.config/Claude/claude_desktop_config.json"],
  ["darwin", "/home/ada/Library/Application Support/Claude/claude_desktop_config.json"],
  ["win32", "/appdata/Claude/claude_desktop_config.json"],
] as const)("connect writes into Claude Desktop's file on %s", (platform, file) => {
  expect(desktopFile({ env: { HOME: "/home/ada", APPDATA: "/appdata" } }, platform)).toBe(file);
});

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}
