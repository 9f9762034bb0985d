# attack: reads its return address
# property: P9
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov rax, qword ptr [rsp]
	mov qword ptr [rsi], rax
	ret
