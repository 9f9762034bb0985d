# attack: reads the eight bytes after the event
# property: P1
# expect: V-31 load-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov rax, qword ptr [rdi + 112]
	mov qword ptr [rsi], rax
	ret
