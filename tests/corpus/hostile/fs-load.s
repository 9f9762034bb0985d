# attack: reads through the thread pointer
# property: P1
# class: prefix-games
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov rax, qword ptr fs:[0]
	mov qword ptr [rsi], rax
	ret
