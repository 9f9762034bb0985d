# attack: reads a flag that tzcnt and bsf set differently
# property: P9
# class: flags-clobbered
# expect: V-52 read-of-unset-flags bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	xor ecx, ecx
	tzcnt rcx, rax
bad:	jc out
	mov byte ptr [rsi], 1
out:	ret
