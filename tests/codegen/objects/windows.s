# Variables that a function passes to another, with what it keeps behind them in its frame: the state's pointer, which
# it needs again. The callee accesses only the variable. It passes its window on to a third function.
	.text
	.globl	behind
	.type	behind, @function
behind:	sub	$40, %rsp
	mov	%rsi, 16(%rsp)		# kept behind the variable of 16 bytes
	movq	$0, (%rsp)
	movq	$0, 8(%rsp)
	mov	%rsp, %rdi
	call	fill
	mov	16(%rsp), %rsi
	mov	8(%rsp), %rax
	mov	%rax, (%rsi)
	mov	%rsp, %rdi
	call	fill
	mov	16(%rsp), %rdi		# and now the state itself is passed
	call	fill
	mov	16(%rsp), %rsi
	mov	(%rsp), %rax
	mov	%rax, 8(%rsi)
	add	$40, %rsp
	ret
	.size	behind, .-behind
	.type	fill, @function
fill:	movq	$1, (%rdi)
	call	end
	ret
	.size	fill, .-fill
	.type	end, @function
end:	movq	$2, 8(%rdi)
	ret
	.size	end, .-end
	.section .note.GNU-stack,"",@progbits
