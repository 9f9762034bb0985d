# attack: the check is signed, and the index may be negative
# property: P10
# expect: V-54 trap-reachable bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	cmp eax, 8
	jge out
	test eax, eax
	js bad
	mov byte ptr [rsi + rax], 1
out:	ret
bad:	ud2
