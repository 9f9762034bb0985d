# A bounds check of Rust's that may fail.
	.intel_syntax noprefix
	.text
	.globl	probe
	.type	probe, @function
probe:	mov	rdi, [rdi]
	cmp	rdi, 7
	jae	1f
	mov	byte ptr [rsi + rdi], 1
	ret
1:	lea	rdx, [rip + place]
	mov	esi, 7
	call	qword ptr [rip + _RNvNtNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check@GOTPCREL]
	.section .data.rel.ro, "aw"
place:	.quad	name
	.long	3, 4
	.section .rodata, "a"
name:	.asciz	"place"
