#!/usr/bin/env bash
# tools/install_packages.sh [--optional] PACKAGE...: installs the packages that are missing. No
# service of a new package is started, now or at the next boot. With --optional, packages that the
# distribution does not have are skipped.
set -euo pipefail
optional=0
if [[ ${1:-} == --optional ]]; then optional=1; shift; fi
# Script that decides whether a package may start its service
# (/usr/share/doc/init-system-helpers/README.policy-rc.d.gz).
policy=${RIDGEWATT_POLICY_RC_D:-/usr/sbin/policy-rc.d}
sudo=()
if ((EUID)) && [[ ! -w $(dirname "$policy") ]]; then sudo=(sudo); fi

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
all_installed() { dpkg-query -W -f='${binary:Package}\n' | sort; }
missing=()
for name in "$@"; do
  if ! installed "$name"; then missing+=("$name"); fi
done
((${#missing[@]})) || exit 0

exec 9<"$0"  # parallel stages of .ci/run must install one at a time
flock 9
before=$(mktemp)
own_policy=0
clean_up() {
  rm -f "$before"
  if ((own_policy)); then "${sudo[@]}" rm -f "$policy"; fi
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
if [[ ! -e $policy ]]; then  # keeps the script of an administrator
  own_policy=1
  printf '#!/bin/sh\nexit 101\n' | "${sudo[@]}" tee "$policy" >/dev/null
  "${sudo[@]}" chmod 755 "$policy"
fi
apt() { DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get "$@"; }
# Disables the units of newly installed packages. $1 lists the packages that were installed before.
disable_new_services() {
  command -v systemctl >/dev/null || return 0
  local units
  mapfile -t units < <(comm -13 "$1" <(all_installed) | xargs -r dpkg-query -L 2>/dev/null |
    sed -n 's#^\(/usr\)\{0,1\}/lib/systemd/system/\([^/@]*\.\(service\|socket\|timer\)\)$#\2#p' | sort -u)
  ((${#units[@]})) || return 0
  "${sudo[@]}" systemctl --quiet disable "${units[@]}" 2>/dev/null || true  # some lack [Install]
  echo "installed but neither started nor enabled: ${units[*]}"
}

echo "installing, without starting services: ${missing[*]}"
all_installed >"$before"
apt update -qq
if ((!optional)); then
  apt install -y -qq --no-install-recommends "${missing[@]}"
else
  apt install -y -qq --no-install-recommends "${missing[@]}" 2>/dev/null || for name in "${missing[@]}"; do
    apt install -y -qq --no-install-recommends "$name" || echo "skipped: the package $name cannot be installed"
  done
fi
disable_new_services "$before"
