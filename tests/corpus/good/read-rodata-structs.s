# shows: of structs in rodata, only the member that is read counts
# rules: V-31
# state: 5
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 4
	ja out
	lea rax, [rax + rax*2]
	lea rdx, [rip + table]
	movzx eax, byte ptr [rdx + rax*4 + 4]
	mov byte ptr [rsi + rax], 1
out:	ret
	.section .rodata, "a"
	.p2align 2
table:	.long 100, 0, 200
	.long 101, 1, 201
	.long 102, 2, 202
	.long 103, 3, 203
	.long 104, 4, 204
