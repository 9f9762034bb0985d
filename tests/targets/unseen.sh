#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A thousand jumps out of signal handlers, at any moment: no more than some events for each are dropped.
# usage: unseen.sh WARD MODULE PROGRAM
set -u
out=$("$1" trace "$2" -- "$3" 2>&1) || { echo "$out"; exit 1; }
echo "$out"
echo "$out" | grep -q '^foreign  *0$' || exit 1
dropped=$(echo "$out" | sed -n 's/.* \([0-9]*\) dropped$/\1/p')
[ "${dropped:-0}" -le 5000 ]
