#!/usr/bin/env bash
# Builds the packages twice, compares the two builds, installs the Debian package into an empty root that has the C library and
# nothing else, and runs the program there. Needs dpkg-deb, and root or sudo for chroot.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "package: $1" >&2
  exit 1
}
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "only root may run a program in another root: run this as root, or install sudo"
  as_root=(sudo -n)
fi
command -v dpkg-deb >/dev/null || fail "there is no dpkg-deb, which Debian's package dpkg has"

npm run --silent package >/dev/null
first=$(cat .package/SHA256SUMS)
npm run --silent package >/dev/null
[ "$first" = "$(cat .package/SHA256SUMS)" ] || fail "two builds differ"
(cd .package && sha256sum --check --quiet SHA256SUMS)

# What judges a Debian package, a manual and a unit says nothing against these. No warning of lintian counts: there is no bug to close.
for judge in lintian mandoc systemd-analyze; do
  command -v "$judge" >/dev/null || fail "there is no $judge"
done
lintian --fail-on error .package/folio_*_amd64.deb 2>&1 || fail "lintian found errors"
found=$(dpkg-deb --fsys-tarfile .package/folio_*_amd64.deb | tar -xO ./usr/share/man/man1/folio.1.gz | gunzip | mandoc -Tlint) || fail "mandoc found in the manual: $found"
systemd-analyze security --offline=true --threshold=30 .config/systemd/folio-export.service >/dev/null ||
  fail "systemd-analyze calls the example unit exposed"

bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT

dpkg-deb -x .package/folio_*_amd64.deb "$bare"
for library in $(ldd .package/folio-*-linux-* | grep -o '/[^ ]*'); do
  install -D "$library" "$bare$library"
done
mkdir -m 1777 "$bare/tmp"
inside() { "${as_root[@]}" env -i /usr/sbin/chroot "$bare" /usr/bin/folio "$@"; }
# check <what it is to print> <arguments>...
check() {
  local expected=$1 printed
  shift
  printed=$(inside "$@") || fail "folio $* ended with exit code $?"
  [ "$printed" = "$expected" ] || fail "folio $* printed $printed instead of $expected"
}
check "$(node -p 'require("./package.json").version')" --version
[ "$(inside --sandbox issued --limit 3 --format csv | wc -l)" -eq 4 ] || fail "three invoices are not three rows"
inside completion bash | grep -q complete || fail "there is no completion for bash"
inside --sandbox issued --limit 3 -o /tmp/issued.parquet
[ "$(head -c 4 "$bare/tmp/issued.parquet")" = PAR1 ] || fail "what it wrote is no Parquet"
inside --sandbox sync /tmp/books.db --quiet >/dev/null
check 120 issued --from /tmp/books.db --count
echo "the Debian package works on a machine without Node, and two builds are the same"
