# attack: takes rax for what it was before a cmpxchg that may fail
# property: P1
# class: two-destinations
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
	mov ecx, 1
	lock cmpxchg qword ptr [rsi], rcx
bad:	mov byte ptr [rsi + rax], 1
	ret
