#!/usr/bin/env bash
# Installs a build into an empty prefix, compiles every installed header alone, builds the code of docs/library.md and the
# examples against the copy, once with CMake's find_package and once with pkg-config.
# Usage: tools/install_test.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >/dev/null
export CXX=${CXX:-c++}
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ridgewatt.pc)")
export PKG_CONFIG_PATH

# Each header as a user would include it; nothing of the source tree can be seen.
read -ra cflags < <(pkg-config --cflags ridgewatt)
if (cd "$prefix/include" && find ridgewatt -name '*.h') | grep -E '_(support|fixture)\.h$|/.*/.*/'; then
  echo "installed, but not public"; exit 1
fi
mkdir "$work/alone" && cp -r "$prefix/include/ridgewatt" "$work/alone"
python3 "$root/tools/check_headers.py" "$work/alone" "${cflags[@]}"
# The C headers together, in C and in C++.
cp "$root/include/headers_test.c" "$work/both.c"
"${CC:-cc}" -std=c99 -D_GNU_SOURCE -Wall -Werror -Wno-unused-function -I"$prefix/include" "$work/both.c" -o "$work/both"
"$work/both"
"$CXX" -x c++ -std=c++20 -Wall -Werror -Wno-unused-function -I"$prefix/include" "$work/both.c" -o "$work/both"
"$work/both"
PYTHONPATH=$prefix/lib/python3/dist-packages /usr/bin/python3 -B -c 'import ridgewatt; ridgewatt.mark()'
echo "C and Python: well"

# The code of docs/library.md: programs of its own, and the first of examples/ word by word.
awk -v to="$work/page" '/^```cpp$/ {n++; inside = 1; next} /^```$/ {inside = 0} inside {print > (to n ".cc")}' \
  "$root/docs/library.md"
tail -n +2 "$root/examples/tune.cc" | cmp - "$work/page1.cc"
page=$(find "$work" -name 'page*.cc' | sort | tr '\n' ';')

# The examples, and what each must say.
cat >"$work/CMakeLists.txt" <<'CODE'
cmake_minimum_required(VERSION 3.22)
project(consumer CXX)
find_package(ridgewatt REQUIRED)
foreach(example IN LISTS EXAMPLES)
  get_filename_component(name ${example} NAME_WE)
  add_executable(${name} ${example})
  target_link_libraries(${name} PRIVATE ridgewatt::ridgewatt)
endforeach()
CODE
mapfile -t examples < <(sed -n 's/^ridgewatt_example(\([a-z_]*\).*/\1/p' "$root/examples/CMakeLists.txt")
((${#examples[@]}))
list=$(printf ";$root/examples/%s.cc" "${examples[@]}")
cmake -G Ninja -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="${list#;};${page%;}" >"$work/log" ||
  { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
read -ra flags < <(pkg-config --cflags --libs ridgewatt)
for example in "${examples[@]}"; do
  "$build/examples/example_$example" >"$work/expected"
  "$work/build/$example" | cmp - "$work/expected"
done
echo "find_package: ${examples[*]}: well"
for program in "$work"/page*.cc; do "$work/build/$(basename "$program" .cc)" | grep -q '[0-9]'; done
echo "docs/library.md: $(find "$work" -name 'page*.cc' | wc -l) programs print their answers"
"$CXX" -std=c++20 "$root/examples/${examples[0]}.cc" -o "$work/first" "${flags[@]}"
"$build/examples/example_${examples[0]}" | cmp - <("$work/first")
echo "pkg-config: well"

[[ $("$prefix/bin/ridgewatt" device show agx-xavier --list-modes --format csv | wc -l) == 29233 ]]
echo "installed program: well"
bash_completion=$prefix/share/bash-completion/completions/ridgewatt
[[ $("$prefix/bin/ridgewatt" completion bash) == "$(cat "$bash_completion")" ]]
bash -n "$bash_completion"
grep -q 'SH SYNOPSIS' "$prefix/share/man/man1/ridgewatt-schedule-plan.1"
# Completion as a shell asks for it: words with a colon keep what stands before it.
PATH=$prefix/bin:$PATH bash -c '
  source "$0"
  COMP_LINE="ridgewatt estimate zoo:resnet5" COMP_POINT=30
  _ridgewatt
  [[ ${COMPREPLY[*]} == resnet50 ]]' "$bash_completion"
echo "completion and manual: well"
