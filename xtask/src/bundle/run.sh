#!/bin/sh
# Finds NVRTC and a Vulkan loader on this machine, then runs glass-gpu with the arguments given.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
private=$(mktemp -d "${TMPDIR:-/tmp}/glass-gpu.XXXXXX")
trap 'rm -rf "$private"' EXIT
export GLASS_REVISION="@REVISION@"
export GLASS_CACHE_DIR="$private/cache"
export PATH="$PATH:/usr/local/nvidia/bin"
mkdir "$private/lib"

# The bindings try libnvrtc.so and versions up to 12, so the newest library gets the unversioned name. Its
# built-ins are opened by their own name and have to lie on the same path.
site=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null || true)
nvrtc=$(
    {
        ls -d /usr/local/cuda*/lib64/libnvrtc.so.* /usr/local/cuda*/targets/*/lib/libnvrtc.so.* \
            "${site:-/nonexistent}"/nvidia/*/lib/libnvrtc.so.* 2>/dev/null || true
        ldconfig -p 2>/dev/null | awk '/libnvrtc\.so\./ { print $NF }'
    } | awk -F 'libnvrtc.so.' '{ print $NF " " $0 }' | sort -V | tail -n 1 | cut -d ' ' -f 2-
)
if [ -n "$nvrtc" ]; then
    nvrtc=$(readlink -f "$nvrtc")
    ln -s "$nvrtc" "$private/lib/libnvrtc.so"
    for builtins in "$(dirname "$nvrtc")"/libnvrtc-builtins*.so*; do
        [ -e "$builtins" ] && ln -s "$builtins" "$private/lib/"
    done
    echo "NVRTC: $nvrtc" >&2
else
    echo "NVRTC: none found" >&2
fi

# Libraries that kernels are compared with are opened by name.
for library in libcublas libcusolver libnvJitLink libcusparse; do
    file=$(
        ls -d /usr/local/cuda*/lib64/"$library".so.* /usr/local/cuda*/targets/*/lib/"$library".so.* \
            "${site:-/nonexistent}"/nvidia/*/lib/"$library".so.* 2>/dev/null | sort -V | tail -n 1
    )
    if [ -n "$file" ]; then
        export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(dirname "$(readlink -f "$file")")"
    fi
done

if ! ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' && ls "$here"/vulkan/*.deb >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then root=/; else root="$private/root"; fi
    for package in "$here"/vulkan/*.deb; do
        dpkg -x "$package" "$root"
    done
    [ "$root" = / ] && ldconfig
    export LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
icd=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -e "$icd" ] && ! ls /etc/vulkan/icd.d/nvidia*.json /usr/share/vulkan/icd.d/nvidia*.json >/dev/null 2>&1; then
    export VK_DRIVER_FILES="$icd"
fi
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$private}"
export LD_LIBRARY_PATH="$private/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

status=0
# RUN_UNDER may hold a debugging tool and its options.
${RUN_UNDER:-} "$here/glass-gpu" "$@" || status=$?
exit "$status"
