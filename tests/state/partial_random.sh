#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compile the example probes, and hold their partials, and those of a state with every kind, against snapshots.
# Usage: partial_random.sh SOURCE BIN FIXTURE
set -eu
source=$1 bin=$2 fixture=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for probe in "$source"/probes/*.c; do
	"$bin/ward" cc -o "$tmp/$(basename "$probe" .c).ward" "$probe"
done
"$bin/ward-partial-random" 100 1 "$fixture"
"$bin/ward-partial-random" 4 2 "$tmp"/*.ward
