/* SPDX-License-Identifier: Apache-2.0 */
# Debug information in which a DIE is its own sibling: a careless reader that skips over it never gets past it.
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11	# DW_TAG_compile_unit
	.byte 1			# has children
	.uleb128 0x03, 0x08	# DW_AT_name, DW_FORM_string
	.byte 0, 0
	.uleb128 2, 0x13	# DW_TAG_structure_type
	.byte 1
	.uleb128 0x03, 0x08
	.byte 0, 0
	.uleb128 3, 0x17	# DW_TAG_union_type
	.byte 1
	.uleb128 0x01, 0x13	# DW_AT_sibling, DW_FORM_ref4
	.byte 0, 0
	.byte 0

	.section .debug_info,"",@progbits
.Lunit:
	.long .Lend - .Lversion
.Lversion:
	.short 4
	.long 0
	.byte 8
	.uleb128 1
	.asciz "cycle.c"
	.uleb128 2
	.asciz "other"
.Lself:
	.uleb128 3
	.long .Lself - .Lunit
	.byte 0, 0, 0
.Lend:
