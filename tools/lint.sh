#!/usr/bin/env bash
# Rooms, lifetimes, format, clang-tidy. Called by ./dev lint. `tools/lint.sh rules` leaves clang-tidy out, `tools/lint.sh
# units` is clang-tidy alone, and `tools/lint.sh FILE...` runs it on those files.
# Most of clang-tidy's time goes into the libraries' headers: like the compiler it reads a room's files
# some at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1:-} != units ]]; then
  python3 tools/check_rooms.py
  python3 tools/check_lifetimes.py
  python3 tools/check_messages.py
  python3 tools/check_commands.py
  python3 tools/check_docs.py
  git ls-files '*.h' '*.cc' '*.c' '*.cu' | xargs -P "$(nproc)" -n 200 clang-format --dry-run --Werror
  if [[ ${1:-} == rules ]]; then exit 0; fi
else
  shift
fi
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
printf '%s\0' "${files[@]}" | xargs -0 ls -S |  # the largest first, so that no processor waits for it at the end
  xargs -P "$(nproc)" -n 1 clang-tidy -p "build-$preset" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "lint: ${#files[@]} units clean"
