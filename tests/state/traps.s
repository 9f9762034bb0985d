/* SPDX-License-Identifier: Apache-2.0 */
# Where guards may stop a run, as spec/module.md has it, in a section that is not loaded: four places that can be shown, three that can't.
	.section .ward.traps,"",@progbits
	.long 1, 7
	.quad 64
	.long 17, .Lfile - .Lstrings, .Laccess - .Lstrings
	.long 21, .Lfile - .Lstrings, .Lloop - .Lstrings
	.long 22, .Lfile - .Lstrings, .Lother - .Lstrings	# a reason that nobody knows
	.long 23, .Lnamed - .Lstrings, .Ldivisor - .Lstrings
	.long 24, .Lend - .Lstrings, .Laccess - .Lstrings	# behind the strings
	.long 25, .Lnone - .Lstrings, .Laccess - .Lstrings	# no name
	.long 26, .Lfile - .Lstrings, .Lrounds - .Lstrings
.Lstrings:
.Lfile:	.asciz "astray.c"
.Lnamed: .asciz "a\033[31m/b c.c"
.Laccess: .asciz "access"
.Lloop:	.asciz "loop"
.Lrounds: .asciz "rounds"
.Ldivisor: .asciz "divisor"
.Lother: .asciz "weather"
.Lnone:	.asciz ""
.Lend:
