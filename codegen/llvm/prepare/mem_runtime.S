/* SPDX-License-Identifier: Apache-2.0 */
/* The bitcode of forms/, as clang wrote it. */
	.section .rodata
.macro library name, file
	.globl ward_forms_\name, ward_forms_\name\()_end
	.hidden ward_forms_\name, ward_forms_\name\()_end
	.balign 16
ward_forms_\name:
	.incbin "\file"
ward_forms_\name\()_end:
	.byte 0
.endm
	library copy, copy.bc
	library fill, fill.bc
	library compare, compare.bc
	library scan, scan.bc
	library ctype, ctype.bc
	.section .note.GNU-stack,"",@progbits
