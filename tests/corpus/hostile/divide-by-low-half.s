# attack: the divisor is checked in 64 bits, and its low half divides
# property: P10
# class: bounds-32-64
# expect: V-53 division-by-possible-zero bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	test rcx, rcx
	je out
	mov eax, 100
	xor edx, edx
bad:	div ecx
	mov qword ptr [rsi], rax
out:	ret
