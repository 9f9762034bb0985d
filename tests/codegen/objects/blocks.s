# Many blocks. By default there is little to know in them; with `full` all 512 slots of the frame hold something, and each block would have to claim it.
	.globl blocks
	.type blocks, @function
blocks:
	sub $4096, %rsp
	mov (%rsi), %rax
	mov 8(%rsi), %rcx
	mov %rax, (%rsp)
	.ifdef full
	.set i, 0
	.rept 512
	lea i(%rax), %rdx
	mov %rdx, 8*i(%rsp)
	.set i, i + 1
	.endr
	.endif
	.rept 3000
	cmp %rcx, %rax
	jb 1f
1:
	.endr
	add $4096, %rsp
	ret
	.size blocks, . - blocks
