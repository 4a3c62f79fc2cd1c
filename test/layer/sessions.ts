// Sessions of commands that an agent gives in a repository, whatever is in it.

/** A file of code, by its place in the list of git. */
const code = (at: number) => `"$(git ls-files | grep -E '\\.(js|ts|mjs|cjs|py|md)$' | sed -n ${at}p)"`;

/** A folder with files of git in it. */
const part = `"$(git ls-files | grep / | cut -d/ -f1 | grep -v '^\\.' | sort | uniq -c | sort -n | tail -1 | awk '{print $2}')"`;

const dependency = `mkdir -p vendor/dep && cd vendor/dep && echo '{"name":"dep","version":"1.0.0","main":"i.js","bin":{"dep":"i.js"}}' > package.json && printf '#!/usr/bin/env node\\nmodule.exports = 42;\\n' > i.js`;

/** Commands by the kind of work. */
export const sessions: Readonly<Record<string, readonly string[]>> = {
  edit: [
    "git status --short | head -20; git log --oneline | head -3",
    `sed -i '1s/^/\\n/' ${code(3)}; git diff --stat`,
    'git ls-files | head -20 | while read -r f; do [ -f "$f" ] && [ ! -L "$f" ] && [ "$f" != mount-plan.yaml ] && printf \'\\n\' >> "$f"; done; git diff --shortstat',
    `git checkout -- ${code(1)}`,
    "git add -A && git commit -qm edit && git show --stat HEAD | tail -1",
    `echo later >> ${code(2)}; chmod 755 ${code(2)}; git status --short`,
  ],
  refactor: [
    `grep -rlI return ${part} | head -40 | xargs -r perl -pi -e 's/\\breturn\\b/return /'`,
    "git diff --shortstat; git stash -q; git status --short; git stash pop -q",
    `grep -rlI 'return ' ${part} | head -5 | xargs -r sed -i 's/return  */return /'`,
    "git add -u; git commit -qm 'refactor: spaces' || true",
    `for f in $(git ls-files ${part} | head -8); do cp -p "$f" "$f.bak" && mv "$f.bak" "$f"; done; git status --short`,
    `awk 'NR % 2' ${code(4)} > half.txt; cat half.txt ${code(4)} > both.txt; rm half.txt`,
  ],
  rename: [
    `mkdir -p moved && git mv ${code(2)} moved/ && git status --short`,
    `d=${part}; mv "$d" "$d-old" && git add -A && git commit -qm 'rename a folder'`,
    `d=${part}; mkdir -p deep/er && mv "$d" deep/er/ && ls deep/er | head -3`,
    `git ls-files deep moved | head -3; git add -A; git commit -qm deeper; git log --oneline -2 --stat | tail -1`,
    `f=${code(3)}; mv "$f" "$f.tmp" && mv "$f.tmp" "$f.renamed"; ln -s "$(basename "$f").renamed" "$f"`,
  ],
  clean: [
    "mkdir -p dist build/sub; for i in $(seq 60); do echo $i > dist/$i.js; echo $i > build/sub/$i.o; done; ln -s ../dist build/link",
    "printf 'dist\\nbuild\\n*.log\\n' >> .gitignore; echo x > a.log; git status --short",
    "git clean -fdxn -e .toolmount | wc -l; git clean -fdXq; ls",
    `rm -rf ${part}; git status --short | wc -l; git checkout -q -- .; git status --short`,
    "touch untracked; mkdir -p junk/more; echo j > junk/more/j; git clean -fdq; ls",
    "git reset -q --hard; git status --short",
  ],
  branches: [
    "git switch -qc feature; echo one > feature.txt; git add .; git commit -qm one",
    "echo two >> feature.txt; git commit -qam two; git tag v0; git tag -a v1 -m annotated",
    "git switch -q -; echo other > other.txt; git add other.txt; git commit -qm other",
    "git merge -q --no-edit feature; git log --oneline --graph | head -5",
    "git switch -qc second HEAD~1; echo s > second.txt; git add -A; git commit -qm second; git rebase -q feature || git rebase --abort",
    "git branch -d feature; git branch -m second third; git branch -a; git tag -d v0",
    `echo conflict > feature.txt; git commit -qam mine; git merge v1 -q --no-edit || git merge --abort; git status --short`,
  ],
  history: [
    "for i in 1 2 3; do echo $i > h$i; git add h$i; git commit -qm h$i; done",
    "git commit -q --amend -m 'h3 again'; git reset -q --soft HEAD~2; git commit -qm both",
    "git revert --no-edit HEAD; git cherry-pick -n HEAD~1; git status --short",
    "git reset -q --hard HEAD~1; git rebase -q --exec true HEAD~1",
    "git gc -q; git repack -adq; git pack-refs --all; git count-objects -v | grep -c size",
    "git bisect start -q 2>/dev/null; git bisect reset -q; git reflog | wc -l; git notes add -m note; git fsck --no-progress",
  ],
  breaks: [
    "echo precious > notes.txt; git add -A; git commit -qm wip; git reset -q --hard HEAD~1",
    `rm -rf ${part} .github; ls -A`,
    "git checkout -q HEAD -- .; git stash -q -u || true; git stash drop -q || true",
    "find . -path ./.git -prune -o -name '*.md' -print0 | xargs -0 -r rm; git status --short | wc -l",
    'git ls-files -z | head -z -n 30 | while read -rd \'\' f; do [ "$f" = mount-plan.yaml ] || : > "$f"; done; git diff --shortstat',
    "git checkout -q --orphan fresh; git rm -rq --cached .; git add -A; git commit -qm everything",
  ],
  build: [
    `mkdir -p out; for f in $(git ls-files | grep -E '\\.(mjs|cjs|js)$' | head -10); do node --check "$f" || true; done 2>/dev/null`,
    `tsc --allowJs --checkJs false --noResolve --skipLibCheck --outDir out --target es2022 $(git ls-files | grep -E '\\.ts$' | grep -v '\\.d\\.ts$' | head -12) > tsc.log 2>&1; ls -R out | wc -l`,
    "printf 'all: prog\\nprog: main.o\\n\\tcc -o prog main.o\\nmain.o: main.c\\n\\tcc -c main.c\\nclean:\\n\\trm -f prog *.o\\n' > Agent.mk; printf 'int main(void){return 0;}\\n' > main.c",
    "make -sf Agent.mk && ./prog; make -sf Agent.mk; touch main.c; make -sf Agent.mk; make -sf Agent.mk clean; ls",
    "python3 -m compileall -q . > /dev/null 2>&1; find . -name '*.pyc' | wc -l",
  ],
  test: [
    `mkdir -p test && printf "import { test } from 'node:test';\\nimport { writeFileSync } from 'node:fs';\\ntest('writes', () => writeFileSync('written.txt', 'by a test'));\\n" > test/agent.test.mjs`,
    "node --test test/agent.test.mjs > /dev/null; cat written.txt",
    "printf \"import { test } from 'node:test';\\nimport assert from 'node:assert';\\ntest('fails', (t) => { t.assert.snapshot(1); assert.equal(1, 2); });\\n\" > test/bad.test.mjs; node --test --test-update-snapshots test/bad.test.mjs > /dev/null; echo $?",
    "if [ -d tests ] && [ -d src ]; then PYTHONPATH=src python3 -m pytest -q -x -p no:cacheprovider tests/test_utils.py tests/test_types.py > /dev/null 2>&1; echo $?; fi",
    "mkdir -p coverage; NODE_V8_COVERAGE=coverage node -e 0; rm -r coverage; rm test/bad.test.mjs; git add -A; git commit -qm tests",
  ],
  install: [
    dependency,
    "cd vendor/dep && npm pack --silent",
    "mkdir -p app && cd app && npm init -y > /dev/null && npm install --offline --no-audit --no-fund ../vendor/dep/dep-1.0.0.tgz > /dev/null && node -p 'require(\"dep\")'",
    "cd app && ls -la node_modules/.bin | tail -1 | sed 's/.*dep/dep/'; npm ls --offline > /dev/null; npm install --offline --no-audit --no-fund ../vendor/dep > /dev/null; ls -l node_modules | grep -c -- '->'",
    "cd app && rm -rf node_modules && npm ci --offline --no-audit --no-fund > /dev/null; npm uninstall --offline --no-audit --no-fund dep > /dev/null; cat package.json",
    "python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1)'",
  ],
  generate: [
    "mkdir -p data/many; for i in $(seq 500); do echo $i > data/many/f$i; done; seq 2000000 > data/large.txt",
    "sqlite3 data/db.sqlite 'pragma journal_mode=wal; create table t(a); insert into t values(1);' && sqlite3 data/db.sqlite 'insert into t values(2); vacuum; select count(*) from t'",
    "truncate -s 200M data/sparse; ln data/large.txt data/hard; ln -s large.txt data/link; mkfifo data/pipe; chmod 600 data/large.txt; chmod 1777 data/many",
    `tar cf data/part.tar --sort=name --mtime=@0 --owner=0 --group=0 ${part}; mkdir data/x; tar xf data/part.tar -C data/x; rm -r data/x`,
    "for i in $(seq 1 2 500); do rm data/many/f$i; done; mv data/many data/less; printf 'é' > $'data/odd \\n name'",
    "gzip -n data/large.txt 2>/dev/null || gzip -nf data/large.txt; git add data/less; git commit -qm data",
  ],
  patch: [
    "echo a > p; git add p; git commit -qm p; git format-patch -q -1 -o patches; git reset -q --hard HEAD~1",
    "git am -q patches/*.patch; git log -1 --format=%s",
    `printf '\\nlast\\n' >> ${code(1)}; git diff > change.diff; git checkout -q -- .; git apply change.diff; git diff --shortstat`,
    "patch -p1 -R -s < change.diff; git status --short; git archive HEAD | tar t | wc -l",
    "git bundle create -q all.bundle HEAD; git bundle verify -q all.bundle; rm all.bundle; git rm -q p; git commit -qm 'no p'",
  ],
  nested: [
    "git worktree add -q .wt -b wt; cd .wt; echo w > w; git add w; git commit -qm w",
    "git log --oneline wt -1 | wc -l; git worktree remove --force .wt; git worktree prune; git merge -q wt --no-edit; ls w",
    "mkdir inner && cd inner && git init -q . && echo i > i && git add i && git commit -qm inner",
    "git config alias.st status; git config user.signingkey x; git st --short",
    '(node -e \'require("http").createServer((q,s)=>s.end("up")).listen(8123,"127.0.0.1")\' & for i in $(seq 100); do r=$(node -e \'fetch("http://127.0.0.1:8123").then(r=>r.text()).then(console.log)\' 2>/dev/null) && break; done; echo $r > served.txt; kill %1); cat served.txt',
    "rm -rf inner/.git; git add -A; git commit -qm nested; git status --short",
  ],
};
