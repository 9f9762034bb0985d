# SPDX-License-Identifier: Apache-2.0
# Which tests run when (tools/check.sh). One without a label is run by `make check`, in both builds.

function(label name)
	set_property(TEST ${ARGN} APPEND PROPERTY LABELS ${name})
endfunction()

# Also run by `make quick`: what says soon whether a change is on the right track.
function(quick)
	label(quick ${ARGN})
endfunction()

# Left to `make full`: what takes long.
function(full)
	label(full ${ARGN})
endfunction()

# Not about memory: in `make check` only the build that is shipped runs these, not the one with sanitizers.
function(once)
	label(once ${ARGN})
endfunction()
