import { createShell } from "@toolmount/tool-bash";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";

/** Asks about every command that the list does not cover. */
const shell = createShell(
  { working_dir: tmpdir(), allowed_commands: ["echo *", "cat *", "ls"], require_approval: true },
  { environment: { HOME: "/root" } },
);

test.each([
  "echo a",
  "ls",
  "echo 'a b' \"c d\" $'e\\n'",
  "echo *.txt a?b [ab]",
  "echo {a,b}",
  "echo $x",
  'echo "$x" ${x}',
  "echo a && echo b || echo c",
  "echo a; echo b\necho c",
  "echo a | cat -",
  "echo a 2>&1",
  "echo a > /dev/null 2>/dev/null",
  "",
  "# only a comment",
])("the list covers what consists of its commands alone: %j", (command) => {
  const isEmpty = command === "" || command.startsWith("#");
  expect({ command, asks: shell.asks(command) }).toEqual({ command, asks: isEmpty });
});

test.each([
  "ls -l",
  "! echo a",
  "echo a > out.txt",
  "echo a >> out.txt",
  "echo ${x:-a}",
  "echo ${!x}",
  "echo ${x[0]}",
  "cat < in.txt",
  "echo a {fd}> out.txt",
  "echo a; ls -l",
  "echo a | grep b",
  "echo $(echo a)",
  "echo `echo a`",
  "cat <(echo a)",
  "(echo a)",
  "{ echo a; }",
  "if echo a; then echo b; fi",
  "for x in a b; do echo $x; done",
  "while echo a; do echo b; done",
  "case a in a) echo b;; esac",
  "f() { echo a; }",
  "[[ a = a ]]",
  "((1 + 1))",
  "echo $((1 + 1))",
  "x=1 echo a",
  "x=1",
  "time echo a",
  "echo a &",
  "cat <<< a",
  "cat <<E\na\nE",
  "select x in a; do echo $x; done",
  "coproc echo a",
  'echo $"a"',
  "echo @(a|b)",
])("the list does not cover what has more in it: %j", (command) => {
  expect({ command, asks: shell.asks(command) || shell.judge(command).verdict === "deny" }).toEqual({
    command,
    asks: true,
  });
});
