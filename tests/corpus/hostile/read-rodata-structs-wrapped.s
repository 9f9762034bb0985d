# attack: three times a number that wraps around is no multiple of three
# property: P1
# expect: V-31 store-outside-region bad
# state: 5
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	lea rax, [rax + rax*2]
	cmp rax, 12
	ja out
	lea rdx, [rip + table]
	movzx eax, byte ptr [rdx + rax*4 + 4]
bad:	mov byte ptr [rsi + rax], 1
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long 100, 0, 200
	.long 101, 1, 201
	.long 102, 2, 202
	.long 103, 3, 203
	.long 104, 4, 204
