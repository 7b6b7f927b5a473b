#!/usr/bin/env bash
# Installs a build into an empty prefix, compiles every installed header alone, and builds the code
# of docs/library.md and the examples with the installed copy, with CMake's find_package and with
# pkg-config.
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

# Each header is compiled as a user would include it, without access to the source tree.
read -ra cflags < <(pkg-config --cflags ridgewatt)
if (cd "$prefix/include" && find ridgewatt -name '*.h') | grep -E '_(support|fixture)\.h$|/.*/.*/'; then
  echo "installed, but not public"; exit 1
fi
mkdir "$work/alone" && cp -r "$prefix/include/ridgewatt" "$work/alone"
python3 "$root/tools/check_headers.py" "$work/alone" "${cflags[@]}"
# All C headers together, in C and in C++.
cp "$root/include/headers_test.c" "$work/both.c"
"${CC:-cc}" -std=c99 -D_GNU_SOURCE -Wall -Werror -Wno-unused-function -I"$prefix/include" "$work/both.c" -o "$work/both"
"$work/both"
"$CXX" -x c++ -std=c++20 -Wall -Werror -Wno-unused-function -I"$prefix/include" "$work/both.c" -o "$work/both"
"$work/both"
PYTHONPATH=$prefix/lib/python3/dist-packages /usr/bin/python3 -B -c 'import ridgewatt; ridgewatt.mark()'
echo "C and Python: well"

# The code of docs/library.md: the first program is the example `tune`, which is built below. The
# other programs are only on this page.
awk -v to="$work/page" '/^```cpp$/ {n++; inside = 1; next} /^```$/ {inside = 0} inside {print > (to n ".cc")}' \
  "$root/docs/library.md"
tail -n +2 "$root/examples/tune.cc" | cmp - "$work/page1.cc"
rm "$work/page1.cc"
page=$(find "$work" -name 'page*.cc' | sort | tr '\n' ';')

# Programs that use the library with FetchContent, and as an installed shared library. The library
# is not compiled again: CMake's commands use the objects of the tested build.
commands() { ninja -C "$1" -t commands "$2" | grep -E -- "$3" | (cd "$1" && sh -e) >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
configure() { cmake -G Ninja -S "$1" -B "$2" "${@:3}" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
unity=$(sed -n 's/^RIDGEWATT_UNITY:[A-Z]*=//p' "$build/CMakeCache.txt")
configure "$root/tools/consumer" "$work/embed" -DSOURCE="$root"
if grep -lE 'add_test|libridgewatt' -r "$work/embed" --include='CTestTestfile.cmake' --include='cmake_install.cmake'; then
  echo "embedded, but adds tests or files to install"; exit 1
fi
mkdir -p "$work/embed/_deps/ridgewatt-build/ridgewatt"
cp "$build/ridgewatt/libridgewatt.a" "$work/embed/_deps/ridgewatt-build/ridgewatt"
commands "$work/embed" consumer '(main\.cc|-o consumer)'
"$work/embed/consumer" >"$work/expected"
ninja -C "$work/embed" -t commands consumer | grep 'main\.cc' >"$work/line"
if grep -E -- '-O[0-9s]|-Wall|visibility|ccache|cmake_pch' "$work/line"; then
  echo "embedded, but the project's own file is compiled with our flags"; exit 1
fi
echo "FetchContent: $(cat "$work/expected")"

configure "$root" "$work/shared" -DCMAKE_BUILD_TYPE=Release -DRIDGEWATT_SHARED=ON -DRIDGEWATT_UNITY="$unity" \
  -DRIDGEWATT_PROGRAMS=OFF -DRIDGEWATT_TESTS=OFF -DRIDGEWATT_EXAMPLES=OFF -DRIDGEWATT_PYTHON=OFF
cp -rsf "$build/ridgewatt/CMakeFiles/ridgewatt_"{lib,light}.dir "$work/shared/ridgewatt/CMakeFiles/"
commands "$work/shared" ridgewatt_shared 'libridgewatt\.so'
cmake --install "$work/shared" --prefix "$work/shared_prefix" >/dev/null
configure "$root/tools/consumer" "$work/uses_shared" -DCMAKE_PREFIX_PATH="$work/shared_prefix" \
  -DCMAKE_DISABLE_FIND_PACKAGE_Protobuf=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON
cmake --build "$work/uses_shared" >"$work/log" || { cat "$work/log"; exit 1; }
"$work/uses_shared/consumer" | cmp - "$work/expected"
library=$(find "$work/shared_prefix" -name 'libridgewatt.so.*.*.*')
readelf -d "$library" | grep -oE 'SONAME.*'
if nm -DC --defined-only "$library" | grep -E ' [TB] ridgewatt::(platform|measure|report|store|trace|screen|cli)::'; then
  echo "the shared library shows what is private"; exit 1
fi
echo "shared library: $(nm -D --defined-only "$library" | wc -l) symbols"

# The examples must print the same as in the tested build.
cat >"$work/CMakeLists.txt" <<'CODE'
cmake_minimum_required(VERSION 3.22)
project(consumer CXX)
find_package(ridgewatt REQUIRED)
set(first "")
foreach(example IN LISTS EXAMPLES)
  get_filename_component(name ${example} NAME_WE)
  add_executable(${name} ${example})
  target_link_libraries(${name} PRIVATE ridgewatt::ridgewatt)
  if(first)  # compiles the headers of the library once
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    set(first ${name})
    target_precompile_headers(${name} PRIVATE <ridgewatt/ridgewatt.h>)
  endif()
endforeach()
CODE
mapfile -t examples < <(sed -n 's/^ridgewatt_example(\([a-z_]*\).*/\1/p' "$root/examples/CMakeLists.txt")
((${#examples[@]}))
list=$(printf ";$root/examples/%s.cc" "${examples[@]}")
cmake -G Ninja -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="${list#;}${page:+;${page%;}}" >"$work/log" ||
  { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }
read -ra flags < <(pkg-config --cflags --libs ridgewatt)
for example in "${examples[@]}"; do
  "$build/examples/example_$example" >"$work/expected"
  "$work/build/$example" | cmp - "$work/expected"
done
echo "find_package: ${examples[*]}: well"
for program in tune $(cd "$work" && find . -name 'page*.cc' -exec basename {} .cc ';'); do
  "$work/build/$program" | grep -q '[0-9]'
done
echo "docs/library.md: $(grep -c '^```cpp$' "$root/docs/library.md") programs print their answers"
"$CXX" -std=c++20 "$root/examples/${examples[0]}.cc" -o "$work/first" "${flags[@]}"
"$build/examples/example_${examples[0]}" | cmp - <("$work/first")
echo "pkg-config: well"

[[ $("$prefix/bin/ridgewatt" device show agx-xavier --list-modes --format csv | wc -l) == 29233 ]]
"$prefix/bin/ridgewatt" evaluate pipeline --format csv | cmp - <("$build/ridgewatt/ridgewatt" evaluate pipeline --format csv)
echo "installed program and laboratory: well"
bash_completion=$prefix/share/bash-completion/completions/ridgewatt
[[ $("$prefix/bin/ridgewatt" completion bash) == "$(cat "$bash_completion")" ]]
bash -n "$bash_completion"
for page in schedule-plan evaluate-estimate; do grep -q 'SH SYNOPSIS' "$prefix/share/man/man1/ridgewatt-$page.1"; done
if command -v man >/dev/null; then  # the same check as lintian
  for page in "$prefix"/share/man/man1/*; do
    faults=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [[ -z $faults ]] || { echo "$page: $faults"; exit 1; }
  done
fi
# Completion of a word with ':' or '@', as in a shell, which passes only the last part of the word:
# the completions do not repeat the part before it.
PATH=$prefix/bin:$PATH bash -c '
  source "$0"
  COMP_LINE="ridgewatt estimate zoo:resnet5" COMP_POINT=30
  _ridgewatt ridgewatt resnet5
  [[ ${COMPREPLY[*]} == resnet50 ]] || exit
  COMP_LINE="ridgewatt device show orin-nano-8gb@s" COMP_POINT=37
  _ridgewatt ridgewatt @s
  [[ ${COMPREPLY[*]} == @super ]]' "$bash_completion"
echo "completion and manual: well"
