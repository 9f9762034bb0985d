# attack: signed division by what may be zero
# property: P10
# expect: V-53 division-by-possible-zero bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	mov eax, 5
	cdq
bad:	idiv ecx
	ret
