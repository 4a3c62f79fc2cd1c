// Turns links under a folder back and forth until it is killed, or its parent is gone:
//   flip: a link, to `real` inside or to the secret outside
//   swap: a folder, or a link to the secret in its place
//   leaf.txt: a file, or a link to the secret file
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [work, secret] = process.argv.slice(2);
const at = (name) => join(work, name);
const turn = (target, name) => {
  rmSync(at(`.${name}`), { force: true, recursive: true });
  symlinkSync(target, at(`.${name}`));
  renameSync(at(`.${name}`), at(name));
};
const attempt = (act) => {
  try {
    act();
  } catch {
    // The process under test writes, moves and removes here too.
  }
};

process.stdout.write("turning\n");
for (const parent = process.ppid; process.ppid === parent && existsSync(secret);) {
  for (let round = 0; round < 100; round++) {
    attempt(() => turn(secret, "flip"));
    attempt(() => turn(join(secret, "secret.txt"), "leaf.txt"));
    attempt(() => {
      renameSync(at("swap"), at(".swap-away"));
      symlinkSync(secret, at("swap"));
    });
    attempt(() => turn(at("real"), "flip"));
    attempt(() => {
      writeFileSync(at(".leaf-new"), "INSIDE leaf");
      renameSync(at(".leaf-new"), at("leaf.txt"));
    });
    attempt(() => rmSync(at("swap")));
    attempt(() => renameSync(at(".swap-away"), at("swap")));
    attempt(() => mkdirSync(at("real"), { recursive: true }));
  }
}
