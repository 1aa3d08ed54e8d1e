#!/usr/bin/env bash
# Installs a build folder below itself and uses the result as a stranger would: each installed header
# of egraph/ compiles on its own, and a program links, with the flags that pkg-config gives.
# Usage: check_install.sh BUILD_DIR
set -eu

root=$(realpath "$1")/installed
rm -rf "$root"
DESTDIR=$root meson install -C "$1" --no-rebuild --quiet

pc=$(find "$root" -name satura-egraph.pc)
[ -n "$pc" ] || { echo "no satura-egraph.pc was installed" >&2; exit 1; }
prefix=$(sed -n 's/^prefix=//p' "$pc")
flags() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --define-variable=prefix="$root$prefix" "$@" satura-egraph; }
read -ra cflags < <(flags --cflags)
read -ra libs < <(flags --libs --static)

cd "$root"  # away from the source tree, whose headers have the same names
includes=
for header in "$root$prefix"/include/satura/egraph/*.hpp; do
    include="#include \"egraph/$(basename "$header")\""
    g++ -std=c++20 -fsyntax-only -x c++ "${cflags[@]}" - <<<"$include"
    includes+=$include$'\n'
done
g++ -std=c++20 -x c++ "${cflags[@]}" - -o "$root/program" "${libs[@]}" <<<"${includes}int main() {}"
LD_LIBRARY_PATH=$(dirname "$pc")/.. "$root/program"
echo "installed headers compile, a program links"
