#!/usr/bin/env bash
# Collects what a bare machine with a GPU needs into one folder: programs of a release build, stripped, the libraries that
# they load beside glibc's own, and the scripts to run.
#
#   tests/gpu/bundle.sh BUILD-FOLDER BUNDLE-FOLDER
set -euo pipefail

readonly kBuild=$1 kBundle=$2 kMostMiB=50
# glibc is the machine's own: its parts belong together, and an older program runs on a newer one.
readonly kGlibc='^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|mvec|util|anl))\.so'

rm -rf "$kBundle"
mkdir -p "$kBundle/lib"
programs=()
for program in "$kBuild"/bin/groth16* "$kBuild"/tests/test_gpu "$kBuild"/bench/bench_gpu; do
  strip -o "$kBundle/$(basename "$program")" "$program"
  programs+=("$kBundle/$(basename "$program")")
done

# RPATH, not RUNPATH: it holds for the libraries of libraries too.
ldd "${programs[@]}" | awk '/=> \// { print $3 }' | sort -u | while read -r library; do
  [[ $(basename "$library") =~ $kGlibc ]] || strip -o "$kBundle/lib/$(basename "$library")" "$(realpath "$library")"
done
for program in "${programs[@]}"; do
  patchelf --force-rpath --set-rpath '$ORIGIN/lib' "$program"
done

folder=$(dirname "${BASH_SOURCE[0]}")
install -m 755 "$folder"/{prove,flagship,large,two,run}.sh "$kBundle"
install -m 644 "$folder/daemon.sh" "$kBundle"
size=$(du -sm "$kBundle" | cut -f 1)
((size <= kMostMiB)) || { echo "bundle.sh: $size MiB; at most $kMostMiB are to be carried" >&2; exit 1; }
echo "$kBundle: $size MiB, run there: ./prove.sh and ./run.sh ." >&2
