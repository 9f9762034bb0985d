# shows: s mod 50, with s of 64 bits: only the low 32 bits are computed, from the low halves of s and of a multiple that has more
# rules: V-31
# state: 50
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	movabs rax, 0xa3d70a3d70a3d70b
	mov rdx, rcx
	shr rdx, 1
	mul rdx
	shr rdx, 4
	lea rax, [rdx + rdx*4]
	lea rax, [rax + rax*4]
	add rax, rax
	sub ecx, eax
	mov byte ptr [rsi + rcx], 1
	ret
