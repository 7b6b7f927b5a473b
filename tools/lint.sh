#!/usr/bin/env bash
# Checks the rules of the project (structure, words, messages, documentation) and the format, and
# runs clang-tidy. Called by ./dev lint. `tools/lint.sh rules` skips clang-tidy, `tools/lint.sh
# units` runs only clang-tidy, and `tools/lint.sh FILE...` runs it on these files. clang-tidy spends
# most of its time on the headers of libraries, so all files are joined into four units.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ${1:-} != units ]]; then
  printf '%s\n' check_{modules,words,lifetimes,switches,messages,commands,options,recorded,docs}.py \
    'message_reference.py --check' | xargs -P "$(nproc)" -I '{}' sh -c 'python3 tools/{}'
  git ls-files '*.h' '*.cc' '*.c' '*.cu' | xargs -P "$(nproc)" -n 200 clang-format --dry-run --Werror
  if [[ ${1:-} == rules ]]; then exit 0; fi
else
  shift
fi
preset=lint
(($#)) && preset=dev
cmake --preset "$preset" >/dev/null
cmake --build "build-$preset" --target ridgewatt_generated >/dev/null
commands="build-$preset"
if (($#)); then
  files=("$@")
  count=$#
else
  count=$(python3 tools/join_units.py "build-$preset" 4)
  commands+=/joined
  mapfile -t files < <(ls -v "$commands"/*.cxx)  # largest first
fi
# Clang 14 has coroutines, but <coroutine> and Boost.Asio 1.74 (serve/http) do not detect them.
extra=(--extra-arg=-Wno-unknown-warning-option --extra-arg=-D__cpp_impl_coroutine=201902L
  --extra-arg=-DBOOST_ASIO_HAS_CO_AWAIT --extra-arg=-DBOOST_ASIO_HAS_STD_COROUTINE)
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$(nproc)" -n 1 clang-tidy -p "$commands" --quiet "${extra[@]}" 2>/dev/null
echo "lint: $count units clean"
