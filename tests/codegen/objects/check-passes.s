# A check before a call of something undefined, with an address that only a loader could know, as Rust's bounds checks have it: it can't fail.
	.intel_syntax noprefix
	.text
	.globl	probe
	.type	probe, @function
probe:	mov	eax, [rdi]
	and	eax, 7
	cmp	eax, 8
	jae	1f
	mov	byte ptr [rsi + rax], 1
	ret
1:	lea	rdx, [rip + place]
	mov	rsi, qword ptr [rip + elsewhere@GOTPCREL]
	mov	edi, 3
	call	qword ptr [rip + panic@GOTPCREL]
	.section .data.rel.ro, "aw"
place:	.quad	name
	.long	3, 4
	.section .rodata, "a"
name:	.asciz	"place"
