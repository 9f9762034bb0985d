# attack: tzcnt of zero, which is 32 on one processor and leaves the register on another
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, 1000
	tzcnt ecx, eax
bad:	mov byte ptr [rsi + rcx], 1
	ret
