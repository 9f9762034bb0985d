# attack: reads across a slot that was set and one that was not
# property: P9
# class: slot-overwritten
# expect: V-51 load-of-unset-stack bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 16], 1
bad:	mov rax, qword ptr [rsp - 12]
	mov qword ptr [rsi], rax
	ret
