# shows: reads the last field of the event
# rules: V-31 V-32
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi + 104]
	mov qword ptr [rsi], rax
	ret
