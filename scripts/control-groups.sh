#!/bin/sh
# Runs the tests of control groups as root, in a group of cgroup v2 in which they may make others.
set -eu
group=/sys/fs/cgroup/toolmount
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
as_root mkdir -p "$group"
echo "+memory +pids" | as_root tee "$group/cgroup.subtree_control"
as_root env PATH="$PATH" TOOLMOUNT_CGROUP="$group" vitest run test/isolation/control-group.test.ts
