# attack: compares with the event, which is written to even if it differs
# property: P7
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	mov ecx, 1
bad:	lock cmpxchg qword ptr [rdi], rcx
	ret
