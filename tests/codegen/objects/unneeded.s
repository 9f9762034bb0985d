# Of what is known where the loop begins, little is needed: edx and ebx aren't read any more, and of r8 only that it is set.
	.section "ward!libm.so.6!sin","ax",@progbits
	.type	probe, @function
probe:	push	%rbx
	mov	$7, %edx
	mov	$9, %ebx
	mov	$5, %r8d
	xor	%eax, %eax
again:	mov	%r8, (%rsi,%rax)
	add	$1, %rax
	cmp	$56, %rax
	jb	again
	pop	%rbx
	ret
