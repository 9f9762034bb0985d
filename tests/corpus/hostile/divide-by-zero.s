# attack: divides by an argument
# property: P10
# expect: V-53 division-by-possible-zero bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov eax, 100
	xor edx, edx
bad:	div rcx
	mov qword ptr [rsi], rax
	ret
