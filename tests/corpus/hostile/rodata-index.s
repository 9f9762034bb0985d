# attack: reads constants with an index that may be one too large
# property: P1
# expect: V-31 load-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	cmp eax, 2
	ja out
	lea rcx, [rip + constant]
bad:	mov eax, dword ptr [rcx + rax*4]
	mov dword ptr [rsi], eax
out:	ret
	.section .rodata, "a"
constant:
	.long 3, 4
