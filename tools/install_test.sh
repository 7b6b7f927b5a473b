#!/usr/bin/env bash
# Installs a build into an empty prefix and builds a small program against it, once with CMake's
# find_package and once with pkg-config. Usage: tools/install_test.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null

cat > "$work/main.cc" <<'CODE'
#include <cstdio>

#include "ridgewatt/device/board.h"

int main() {
  const ridgewatt::Board board = ridgewatt::load_board("agx-xavier");
  std::printf("%zu\n", ridgewatt::knob_space(board).size());
}
CODE
cat > "$work/CMakeLists.txt" <<'CODE'
cmake_minimum_required(VERSION 3.22)
project(consumer CXX)
find_package(ridgewatt REQUIRED)
add_executable(consumer main.cc)
target_link_libraries(consumer PRIVATE ridgewatt::ridgewatt)
CODE

cmake -G Ninja -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
[[ $("$work/build/consumer") == 29232 ]]
echo "find_package: well"

pc=$(dirname "$(find "$work/prefix" -name ridgewatt.pc)")
read -ra flags < <(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs ridgewatt)
"${CXX:-c++}" -std=c++20 "$work/main.cc" -o "$work/consumer" "${flags[@]}"
[[ $("$work/consumer") == 29232 ]]
echo "pkg-config: well"
[[ $("$work/prefix/bin/ridgewatt" device show agx-xavier --modes --format csv | wc -l) == 29233 ]]
echo "installed program: well"

[[ $("$work/prefix/bin/ridgewatt" completion bash) == "$(cat "$work/prefix/share/bash-completion/completions/ridgewatt")" ]]
bash -n "$work/prefix/share/bash-completion/completions/ridgewatt"
grep -q 'SH SYNOPSIS' "$work/prefix/share/man/man1/ridgewatt-schedule-plan.1"
# Completion as a shell asks for it: words with a colon keep what stands before it.
PATH=$work/prefix/bin:$PATH bash -c '
  source "$0"
  COMP_LINE="ridgewatt estimate zoo:resnet5" COMP_POINT=30
  _ridgewatt
  [[ ${COMPREPLY[*]} == resnet50 ]]' "$work/prefix/share/bash-completion/completions/ridgewatt"
echo "completion and manual: well"
