import { createShell } from "@toolmount/tool-bash";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "toolmount-findings-"));
mkdirSync(join(folder, "sub"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Judges command lines under the strict profile; nothing is run. */
const shell = createShell(
  { working_dir: folder, require_approval: false },
  { environment: { HOME: "/root" } },
);

/**
 * What the policy says of each command line, and why. In a line, `↵` is an end of line, and `=> word` is the word that the
 * reason names.
 */
const rows = readFileSync(join(import.meta.dirname, "findings.txt"), "utf8")
  .trim()
  .split("\n\n")
  .flatMap((group) => {
    const [title, ...lines] = group.split("\n");
    const [, verdict, template = ""] = /^# (runs|asks|refused)(?:: (.*))?$/.exec(title!)!;
    return lines.map((line) => {
      const [text, word = ""] = line.split(" => ");
      const command = text!.replaceAll("↵", "\n");
      const [first] = command.split(/[ ;|<>]/);
      const reason = template.replace("{name}", first!.split("/").at(-1)!).replace("{word}", () => word);
      return { command, verdict, reason, shown: JSON.stringify(command) };
    });
  });

const verdicts = { allow: "runs", ask: "asks", deny: "refused" };

test.each(rows)("$shown $verdict", ({ command, verdict, reason }) => {
  const judged = shell.judge(command);

  expect(`${verdicts[judged.verdict]}: ${judged.finding?.reason ?? ""}`).toBe(`${verdict}: ${reason}`);
  expect(shell.asks(command)).toBe(verdict === "asks");
});

test.each([
  [
    "hidden",
    "it has a character that is not to be seen: U+200B at character 4",
    "write it as $'\\u…', or leave it out",
    "ls \u200b",
  ],
  ["hidden", "it is longer than 65536 bytes", "put the script into a file", `ls ${"a".repeat(65_534)}`],
  ["syntax", "it does not parse to its end", "check quotes, brackets and keywords", "ls ("],
  ["syntax", "it does not parse: unterminated single quote", "check quotes, brackets and keywords", "ls 'a"],
  ["syntax", "scripts are nested too deep", "put the script into a file", `${"eval ".repeat(9)}ls`],
  ["denied", '"touchy *" is forbidden here', "do it without that command, or with another tool", "touchy a"],
  ["catastrophe", '"rm" of the whole file system', "name the files to remove", "rm -r /"],
  ["catastrophe", "a function that starts itself again and again", "use a loop with an end", "f() { f & }"],
  ["blocked", '"sudo" is forbidden', "do it without becoming another user or touching disks", "sudo ls"],
  ["blocked", '"rm" of the home folder', "name the files to remove", "rm -r ~"],
  ["blocked", '"chmod" of the root folder', "name the files to change", "chmod 0 /"],
  ["blocked", '"chown" of the whole file system', "name the files to change", "chown -R a /"],
  [
    "blocked",
    '"dd" from an endless device',
    "use truncate or head -c to make a file of a size",
    "dd if=/dev/zero",
  ],
  ["blocked", '"dd" to a device', "write to a file", "dd of=/dev/sda"],
  ["blocked", "writing to the device /dev/sda", "write to a file", "ls > /dev/sda"],
  ["redirect", "/a is outside the folders that may be written", "write below the working folder", "ls > /a"],
  [
    "redirect",
    "/dev/tcp/a/1 opens a network connection",
    "use a program for the network",
    "ls > /dev/tcp/a/1",
  ],
  [
    "unclear",
    "the name of the command $x is put together when it runs",
    "write the command out plainly, or let a person approve it",
    "$x",
  ],
  [
    "option",
    '"sort" with -o runs a program or writes a file',
    "omit that option, or let a person approve the command",
    "sort -o a",
  ],
  [
    "option",
    '"node" with -e runs a program given in the command',
    "put the program into a file, or let a person approve it",
    "node -e a",
  ],
  [
    "outside",
    '"touch" is given /a, which is outside the folders that may be written',
    "write below the working folder",
    "touch /a",
  ],
  ["outside", '"cd" leaves the folders that may be written', "stay below the working folder", "cd /"],
  [
    "unknown",
    '"frob" is a command that the policy does not know',
    "let a person approve it, or add it to allowed_commands",
    "frob",
  ],
])("a finding of the kind %s: %s, and then: %s", (kind, reason, hint, command) => {
  const strict = createShell(
    { working_dir: folder, require_approval: false, denied_commands: ["touchy *"] },
    { environment: { HOME: "/root" } },
  );

  expect(strict.judge(command).finding).toEqual({ kind, reason, hint });
});

test("a command of exactly 65536 bytes is judged, in bytes and not in characters", () => {
  expect(shell.judge(`ls ${"a".repeat(65_533)}`).verdict).toBe("allow");
  expect(shell.judge(`ls ${"é".repeat(32_767)}`).verdict).toBe("deny");
});

const commandOf = {
  hidden: "ls \u200b",
  syntax: "ls 'a",
  denied: "cat a",
  catastrophe: "rm -r /",
  blocked: "sudo ls",
  redirect: "ls > /a",
  unclear: "$x",
  option: "sort -o a",
  outside: "touch /a",
  unknown: "frob",
};

test.each([
  ["strict", "deny deny deny deny deny deny ask ask ask ask"],
  ["standard", "deny deny deny deny deny deny ask ask ask allow"],
  ["permissive", "deny deny deny deny allow ask ask allow allow allow"],
  ["unrestricted", "deny allow allow allow allow allow allow allow allow allow"],
] as const)("the verdict of the profile %s about each kind of finding", (safety_profile, expected) => {
  const { judge } = createShell(
    { working_dir: folder, safety_profile, denied_commands: ["cat"], require_approval: false },
    { environment: { HOME: "/root" } },
  );

  expect(
    Object.values(commandOf)
      .map((command) => judge(command).verdict)
      .join(" "),
  ).toBe(expected);
});

test("the strictest finding counts, and of two alike the first", () => {
  expect(shell.judge("touch /a; ls > /b; touch /c").finding?.kind).toBe("redirect");
  expect(shell.judge("touch /a; $x").finding?.kind).toBe("outside");
});

test.each([
  ["ls > a; ls >> sub/b", ["a", "sub/b"]],
  ["cd sub && ls > a", ["a", "sub/a"]],
  ["ls > /dev/null 2>&1", []],
  ["ls > a; ls > a", ["a"]],
  ["cat < a", []],
  ["ls 2>| a", ["a"]],
  ["ls &>> a", ["a"]],
])("%s writes %j by redirections", (command, written) => {
  expect(shell.judge(command).redirects).toEqual(written.map((name) => join(folder, name)));
});
