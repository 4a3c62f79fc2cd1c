import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scratch, shell } from "./world.ts";

/** What scripts are put together from; the only program there is, is the denied one. */
const pieces = [
  ..."denied 'denied' d\\enied \"denied\" den''ied $'denied' {denied,} echo : x=denied $x y=1 $y ls".split(
    " ",
  ),
  ...";  ;; & && | || |& ! ( ) { } (( )) [[ ]] $( $(( ` ' \" \\ $ ${ ${x: :- = # < > >> << <<< <( >( &> 2>&1 -c - *".split(
    " ",
  ),
  ...`if then else fi for in do done while until case esac a) function f() coproc time eval command builtin exec`.split(
    " ",
  ),
  "trap denied EXIT",
  "bash",
  "sh",
  "EOF",
  "<<EOF\n",
  "<<'EOF'\n",
  "\nEOF\n",
  "\n",
  " ",
  " ",
  " ",
  "; ",
  "\t",
  "\\\n",
  "set -- ",
  "$@",
  "bash -c '",
  "sh -c '",
  'sh -c "',
  "eval '",
  "((denied))",
  "[[ a || denied ]]",
  "echo $(denied)",
  "echo `denied`",
  "${x:-`denied`}",
];

const script = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom("", " ")), { minLength: 1, maxLength: 9 })
  .map((parts) => parts.map(([piece, space]) => piece + space).join(""));

/** Texts that are likely to run: a command with something around it. */
const around = fc
  .tuple(
    fc.constantFrom(
      "",
      "echo ",
      "x=1; ",
      "if true; then ",
      "f() { ",
      "( ",
      "{ ",
      "! ",
      "case a in a) ",
      "for i in 1; do ",
      "cat <<EOF\n",
    ),
    script,
    fc.constantFrom("", "; fi", "; }; f", " )", "; }", ";; esac", "; done", "\nEOF"),
  )
  .map((parts) => parts.join(""));

test("what the policy lets run without a question never runs a denied command in a real bash", () => {
  const [programs, folder] = [scratch(), scratch()];
  const ran = join(programs, "ran");
  writeFileSync(join(programs, "denied"), `#!/bin/bash\n: > ${ran}\n`);
  chmodSync(join(programs, "denied"), 0o755);
  for (const name of ["bash", "sh"])
    writeFileSync(join(programs, name), `#!/bin/bash\nexec /bin/${name} "$@"\n`, { mode: 0o755 });
  mkdirSync(join(folder, "x"));
  const { judge, asks } = shell({
    working_dir: folder,
    denied_commands: ["denied"],
    require_approval: false,
  });
  let run = 0;

  fc.assert(
    fc.property(fc.oneof(script, around), (text) => {
      if (text.includes("\0") || judge(text).verdict !== "allow" || asks(text)) return;
      run++;
      spawnSync("/bin/bash", ["--noprofile", "--norc", "-c", text], {
        cwd: folder,
        env: { PATH: programs },
        timeout: 2000,
        stdio: "ignore",
      });
      const hasRun = existsSync(ran);
      rmSync(ran, { force: true }); // or every script after it, the smaller ones too, would seem to have run it
      expect({ text, ran: hasRun }).toEqual({ text, ran: false });
    }),
    { numRuns: process.env["TOOLMOUNT_LONG"] === "1" ? 1_000_000 : 3_000 },
  );
  // Scripts that all were refused would say nothing.
  expect(run).toBeGreaterThan(60);
});
