# A counter, rdx, that goes down with the fuel of its loop, r8; whether it could be counted along depends on what is known of it, and that on whether it is counted. It isn't: it would wrap.
	.intel_syntax noprefix
	.text
	.globl	probe
	.type	probe, @function
probe:	mov	r10, [rsi]
	xor	edx, edx
	xor	ecx, ecx	# so that nothing of the loop is reached, as long as nothing is counted
.Lhead:	mov	r8d, 40
	test	ecx, ecx
	je	.Lout
.Lwhile:
	test	dl, 7
	je	.Lrows
	add	r10d, edx
	dec	r10d
	dec	edx
	sub	r8, 1
	jae	.Lwhile
	jmp	.Lout
.Lrows:	add	edx, 6
	dec	ecx
	mov	r8d, 7
	mov	r9d, 9
	jmp	.Lrow
.Lnext:	add	r8d, -2
	sub	r9, 1
	jb	.Lout
.Lrow:	xor	r11d, r11d
	mov	edi, 9
	test	r8d, r8d
	jle	.Lhead
.Lcolumn:
	mov	r10d, r11d
	sub	r10d, ecx
	jae	.Lnext
	mov	r10d, r11d
	imul	r10d, r8d
	inc	r11d
	sub	rdi, 1
	jae	.Lcolumn
.Lout:	ret
