/** Matches variables that change what programs run or load, in lower and upper case, because some programs read both. */
const powerful =
  /^(?:PATH|HOME|SHELL|ENV|CDPATH|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_.*|FPATH|EXECIGNORE|LD_.*|DYLD_.*|GIT_.*|SSH_.*|PERL.*|PYTHON.*|RUBY.*|NODE_(?!ENV$).*|NPM_CONFIG_.*|PNPM_.*|YARN_.*|LESS.*|MAN.*|MAKE.*|GNUMAKE.*|GCONV_PATH|LOCPATH|NLSPATH|TERMINFO.*|TERMCAP|CLASSPATH|OPENSSL_.*|CC|CXX|LD|AR|AWK|SED|XDG_.*|RIPGREP_CONFIG_PATH|TAR_OPTIONS|GREP_OPTIONS|POSIXLY_CORRECT|.*(?:PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|_COMMAND|_CMD|OPTIONS|OPTS|_CONFIG|_PROXY|_WRAPPER|PRELOAD))$/i;

/** Whether setting a variable may change which programs run, or what they load. */
export function isPowerful(name: string): boolean {
  return powerful.test(name);
}

/** Names with a meaning for the shell or this policy. A function of such a name would change what was judged. */
const meaningful = new Set(
  `cd pushd popd dirs eval exec source . trap alias unalias command builtin env xargs find set shopt hash enable read
  export declare typeset local readonly unset test [ printf echo let mapfile readarray getopts bash sh zsh dash exit
  return kill wait sudo su rm dd git tee`.split(/\s+/),
);

export function isMeaningful(name: string): boolean {
  return meaningful.has(name);
}
