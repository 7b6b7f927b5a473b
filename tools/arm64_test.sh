#!/usr/bin/env bash
# tools/arm64_test.sh FOLDER SYSROOT: runs the unit tests of platform and measure of the arm64 build in
# FOLDER under qemu's user emulation. Fails where a test fails.
set -euo pipefail
build=$(realpath "$1") sysroot=$(realpath "$2")
emulated=$build/emulated
mkdir -p "$emulated"
# Tests start the program in their own folder: here a script that hands it to qemu, so that no
# binfmt_misc of the host is needed.
printf '#!/bin/sh\nexec qemu-aarch64 -L %q %q "$@"\n' "$sysroot" "$build/ridgewatt/ridgewatt" \
  >"$emulated/ridgewatt"
chmod +x "$emulated/ridgewatt"
# What cannot hold under emulation: qemu's vfork is a fork, so that posix_spawn cannot say that there is
# no such program; and times of emulated instructions are no ceilings.
filter=-TegrastatsSource.NoSuchProgramOrNoRail:Microbench.CeilingsBoundTheSweep
failed=0
for module in platform measure; do
  ln -f "$build/ridgewatt/${module}_test" "$emulated/"
  qemu-aarch64 -L "$sysroot" "$emulated/${module}_test" --gtest_brief=1 --gtest_filter="$filter" || failed=1
done
# Where this machine's own program is built too, from the same files: networks are the same everywhere.
host=$build/../build/ridgewatt/ridgewatt
if [[ -x $host ]]; then
  for model in $("$host" zoo list --format csv | sed 1d | cut -d, -f1); do
    for program in "$host" "$emulated/ridgewatt"; do
      "$program" zoo write "$model" -o "$emulated/zoo.onnx" --quiet
      sha256sum <"$emulated/zoo.onnx"
    done | uniq | wc -l | grep -qx 1 || { echo "zoo:$model differs from $host"; failed=1; }
  done
fi
exit "$failed"
