import { coreutilsOptions } from "./coreutils-options.ts";
import { isInterpreter } from "./interpreters.ts";
import { optionTable } from "./option-table.ts";
import { isShell } from "./shells.ts";
import { isWrapper, runners } from "./wrappers.ts";

/** Builtins of bash, and programs that neither run others nor write files by their arguments, beside those in tables. */
const others = new Set(
  `: . [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval
  exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read
  readarray readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask unalias
  unset wait false
  awk gawk mawk nawk sed gsed egrep fgrep zgrep zcat bzcat xzcat gzip gunzip bzip2 bunzip2 xz unxz zstd unzip zip 7z ar
  cpio tar patch rsync xxd hexdump strings file column col rev nm objdump readelf size ldd addr2line
  ps pgrep pstree top free uptime lsof lscpu lsblk lsmod dmesg mount ping host dig nslookup ss netstat ifconfig
  jq yq xmllint tidy pandoc
  make cmake ninja meson gcc g++ cc clang clang++ ld rustc rustfmt go gofmt cargo javac java mvn gradle dotnet swift
  npm pnpm yarn tsc eslint oxlint prettier oxfmt biome vitest jest mocha playwright turbo nx vite webpack rollup esbuild
  pip pip3 pipenv poetry uv pytest mypy ruff black flake8 isort tox bundle gem rake rspec composer phpunit
  bc cal link mktemp ptx sleep tput clear locale iconv envsubst getconf getent hostname id logger md5 shasum sha256
  setfacl getfacl chattr lsattr
  sudo su doas pkexec passwd mkfs mke2fs dd shutdown reboot halt poweroff git hg svn gh`.split(/\s+/),
);

/** Whether the policy knows what a command does, apart from its denied uses. */
export function isKnownCommand(name: string): boolean {
  return (
    others.has(name) ||
    coreutilsOptions.has(name) ||
    optionTable.has(name) ||
    runners.has(name) ||
    isWrapper(name) ||
    isShell(name) ||
    isInterpreter(name)
  );
}
