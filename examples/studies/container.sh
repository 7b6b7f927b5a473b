#!/bin/sh
# Finds a container engine that works here and writes its command line, without the program, to
# FILE:
#   container.sh FILE ENGINE GPU FOLDER..      ENGINE: auto, or a command such as "podman --runtime runc"
#                                              GPU: auto, none, or options such as "--gpus all"
# The image is empty. /usr, /etc/alternatives and the folders are mounted read-only from this
# machine, so that the same program runs inside and outside. Nothing is downloaded.
set -eu
file=$1 asked=$2 gpu=$3
shift 3
image=localhost/ridgewatt-study
options="--rm --network none"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/usr" "$root/etc/alternatives" "$root/tmp" "$root/var/tmp" "$root/proc" "$root/sys" "$root/dev"
for name in bin sbin lib lib64; do
  if [ -L "/$name" ]; then ln -s "$(readlink "/$name")" "$root/$name"; fi
done
mounts="-v /usr:/usr:ro -v /etc/alternatives:/etc/alternatives:ro"
for folder in "$@"; do mounts="$mounts -v $folder:$folder:ro"; done

# Whether a small program runs in the engine $1, with its default limits or with low limits.
works() {
  tar -C "$root" -c . | $1 import - $image >/dev/null 2>&1 || return 1
  for limits in "" "--ulimit nofile=1024:1024 --ulimit nproc=1024:1024"; do
    run="$1 run $options $limits"
    if $run $mounts $image /bin/true >/dev/null 2>&1; then return 0; fi
  done
  return 1
}

found=""
if [ "$asked" = auto ]; then
  for engine in docker podman "podman --runtime runc"; do
    command -v "${engine%% *}" >/dev/null || continue
    if works "$engine"; then found=$engine; break; fi
  done
elif works "$asked"; then
  found=$asked
fi
if [ -z "$found" ]; then
  echo "container.sh: no container engine runs here: ${asked} was tried; install docker or podman, or --set engine=COMMAND"
  exit 1
fi

# An engine may accept an option without effect, so the GPU's device node must exist in the
# container.
device=""
if [ "$gpu" = auto ]; then
  for node in /dev/nvidiactl /dev/nvhost-ctrl-gpu /dev/nvgpu; do
    [ -e $node ] || continue
    for way in "--runtime nvidia" "--gpus all"; do
      if $run $way $mounts $image /usr/bin/test -e $node >/dev/null 2>&1; then device=$way; break 2; fi
    done
  done
elif [ "$gpu" != none ]; then
  device=$gpu
fi
echo "$run $device $mounts $image" > "$file"
echo "container.sh: $found, ${device:-without a GPU}"
