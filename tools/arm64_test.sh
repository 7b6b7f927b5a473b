#!/usr/bin/env bash
# tools/arm64_test.sh FOLDER SYSROOT: runs the unit tests of platform and measure of the arm64 build
# in FOLDER under qemu's user emulation. Fails if a test fails.
set -euo pipefail
build=$(realpath "$1") sysroot=$(realpath "$2")
emulated=$build/emulated
mkdir -p "$emulated"
# Tests start the program in their own folder. A script there runs it with qemu, so that the host
# needs no binfmt_misc.
printf '#!/bin/sh\nexec qemu-aarch64 -L %q %q "$@"\n' "$sysroot" "$build/ridgewatt/ridgewatt" \
  >"$emulated/ridgewatt"
chmod +x "$emulated/ridgewatt"
# These tests cannot pass under emulation: qemu's vfork is a fork, so posix_spawn cannot report a
# missing program; times of emulated instructions are not upper bounds; qemu runs a thread of its
# own, and ModeHolder refuses to fork a program with threads (portable_test.py holds modes); and five
# tests start the test program again, which needs binfmt_misc.
filter=-TegrastatsSource.NoSuchProgramOrNoRail:Microbench.CeilingsBoundTheSweep:ModeHolder.*
filter+=:Stalls.*:Measure.SettlesUnderLoad:Measure.ACounterGapExcludes
ln -f "$build/ridgewatt/libnvml_stub.so" "$emulated/"
failed=0
for module in platform measure; do
  ln -f "$build/ridgewatt/${module}_test" "$emulated/"
  qemu-aarch64 -L "$sysroot" "$emulated/${module}_test" --gtest_brief=1 --gtest_filter="$filter" || failed=1
done
# If the program for this machine is built too, both must write the same networks.
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
