#!/usr/bin/env bash
# Rooms, lifetimes, format, clang-tidy. Called by ./dev lint; `tools/lint.sh FILE...` runs clang-tidy on those alone.
# Most of clang-tidy's time goes into the libraries' headers: like the compiler it reads a room's files
# some at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 tools/check_rooms.py
python3 tools/check_lifetimes.py
python3 tools/check_commands.py
python3 tools/check_docs.py
mapfile -t sources < <(git ls-files '*.h' '*.cc' '*.c' '*.cu')
clang-format --dry-run --Werror "${sources[@]}"
preset=lint
(($#)) && preset=dev
cmake --preset "$preset" >/dev/null
cmake --build "build-$preset" --target ridgewatt_generated >/dev/null
if (($#)); then
  files=("$@")
else
  mapfile -t files < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build-lint/compile_commands.json |
    grep -v '/generated/\|/embedded_[a-z]*\.cc$\|\.pb\.cc$\|\.c$')
fi
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 1 clang-tidy -p "build-$preset" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "lint: ${#files[@]} units clean"
