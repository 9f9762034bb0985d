#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A signal handler leaves a probe's stub, and what it calls, by siglongjmp at one moment after the other: no return is
# told with another call's argument, and no more than MOST events are dropped.
# usage: left.sh WARD MODULE PROGRAM STRIDE MOST [below]
set -u
step=1
runs=0
while [ $step -lt 20000 ]; do
	out=$("$1" trace "$2" -- "$3" $step ${6-} 2>&1)
	case $out in
	*"exited with status 3"*)
		echo "$runs moments"
		[ $runs -gt 20 ]
		exit
		;;
	esac
	dropped=$(echo "$out" | sed -n 's/.* \([0-9]*\) dropped$/\1/p')
	echo "$out" | grep -q '^foreign  *0$' && [ "${dropped:-$5}" -le "$5" ] || { echo "step $step: $out"; exit 1; }
	runs=$((runs + 1))
	step=$((step + $4))
done
exit 1
