#!/usr/bin/env bash
# tools/arm64_sysroot.sh FOLDER: unpacks the arm64 libraries for the build of ridgewatt into FOLDER.
# They cannot be installed together with those of another architecture, because protobuf's
# development packages conflict. Therefore apt downloads them for a separate, empty arm64 system.
set -euo pipefail
folder=$(realpath -m "$1")
packages=(libc6-dev libstdc++-12-dev libprotobuf-dev libeigen3-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libtoml11-dev libsqlite3-dev zlib1g-dev libgtest-dev libgmock-dev
  libboost-dev libssl-dev libncurses-dev)
[[ -e $folder/.complete ]] && exit 0
apt=$folder/.apt
mkdir -p "$apt"/{lists/partial,archives/partial}
: >"$apt/status"
options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$apt/lists"
  -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" -o Debug::NoLocking=1)
apt-get "${options[@]}" update
apt-get "${options[@]}" install -y --download-only --no-install-recommends "${packages[@]}"
for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
# Links with absolute paths (libm.so ..) must point into the folder.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfn "$folder$(readlink "$link")" "$link"
done
rm -rf "$apt"
touch "$folder/.complete"
