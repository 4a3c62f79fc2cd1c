// Turns links under a folder back and forth until it is killed, or its parent is gone:
//   flip: a link, to `real` inside or to the secret outside
//   swap: a folder, or a link to the secret in its place
//   leaf.txt: a file, or a link to the secret file
import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [work, secret] = process.argv.slice(2);
const at = (name) => join(work, name);
const turn = (target, name) => {
  symlinkSync(target, at(`.${name}`));
  renameSync(at(`.${name}`), at(name));
};

process.stdout.write("turning\n");
for (const parent = process.ppid; process.ppid === parent && existsSync(secret);) {
  for (let round = 0; round < 100; round++) {
    turn(secret, "flip");
    turn(join(secret, "leaf.txt"), "leaf.txt");
    renameSync(at("swap"), at(".swap-away"));
    symlinkSync(secret, at("swap"));
    turn(at("real"), "flip");
    writeFileSync(at(".leaf-new"), "INSIDE 0 needle\n");
    renameSync(at(".leaf-new"), at("leaf.txt"));
    rmSync(at("swap"));
    renameSync(at(".swap-away"), at("swap"));
  }
}
