#!/usr/bin/env bash
# Builds the packages twice, holds the two builds against each other, installs the Debian package into an empty root that has
# the C library and nothing else, and runs the program there. Needs root, for chroot.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run --silent package >/dev/null
first=$(cat .package/SHA256SUMS)
node .config/package.js >/dev/null
[ "$first" = "$(cat .package/SHA256SUMS)" ] || { echo "two builds differ"; exit 1; }
(cd .package && sha256sum --check --quiet SHA256SUMS)

bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
dpkg-deb -x .package/folio_*_amd64.deb "$bare"
for library in $(ldd .package/folio-*-linux-x64 | grep -o '/[^ ]*'); do
  install -D "$library" "$bare$library"
done
mkdir -m 1777 "$bare/tmp"
inside() { env -i /usr/sbin/chroot "$bare" /usr/bin/folio "$@"; }
inside --version
inside --sandbox issued --limit 3 --format csv | grep -c . | grep -qx 4
inside completion bash | grep -q complete
inside --sandbox issued --limit 3 -o /tmp/issued.parquet
test "$(head -c 4 "$bare/tmp/issued.parquet")" = PAR1
echo "the Debian package works on a machine without Node"
