#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Remove the files that `make install` has put, by its list, and the directories that were Ward's own. Usage:
# uninstall.sh MANIFEST
set -eu
manifest=$1 root=${DESTDIR:-}
[ -r "$manifest" ] || {
	echo "ward: uninstall: $manifest: nothing was installed from here" >&2
	echo "hint: make install writes that list" >&2
	exit 2
}
while read -r file || [ -n "$file" ]; do
	rm -f "$root$file"
	dir=${file%/*}
	while [[ $dir == */ward || $dir == */ward/* || $dir == */src/ward-* || $dir == */libward[0-9] ]]; do
		rmdir "$root$dir" 2>/dev/null || break
		dir=${dir%/*}
	done
done <"$manifest"
rm -f "$manifest"
