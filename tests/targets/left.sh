#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A signal handler leaves a probe's stub, and what it calls, by siglongjmp at one moment after the other: no return is
# told with another call's argument.
# usage: left.sh WARD MODULE PROGRAM STRIDE
set -u
step=1
runs=0
while [ $step -lt 20000 ]; do
	out=$("$1" trace "$2" -- "$3" $step 2>&1)
	case $out in
	*"exited with status 3"*)
		echo "$runs moments"
		[ $runs -gt 20 ]
		exit
		;;
	esac
	echo "$out" | grep -q '^foreign  *0$' || { echo "step $step: $out"; exit 1; }
	runs=$((runs + 1))
	step=$((step + $4))
done
exit 1
