#!/usr/bin/env bash
# Rooms, format, clang-tidy. Called by ./dev lint; `tools/lint.sh FILE...` lints only those.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 tools/check_rooms.py
mapfile -t sources < <(git ls-files '*.h' '*.cc' '*.c' '*.cu')
clang-format --dry-run --Werror "${sources[@]}"
cmake --preset dev >/dev/null
cmake --build build-dev --target ridgewatt_generated >/dev/null
if (($#)); then
  files=("$@")
else
  mapfile -t files < <(git ls-files 'ridgewatt/*.cc' | grep -v '_test\.cc$\|_fuzz\.cc$')
fi
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p build-dev --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "lint: ${#files[@]} files clean"
