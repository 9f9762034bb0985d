# attack: exchanges with the event, which is for reading
# property: P7
# expect: V-32 store-to-readonly bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	xchg qword ptr [rdi], rax
	ret
