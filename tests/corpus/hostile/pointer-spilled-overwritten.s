# attack: a spilled pointer whose low byte is overwritten
# property: P1
# class: slot-overwritten spilled-pointer-overwritten
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rsi
	mov byte ptr [rsp - 8], 64
	mov rax, qword ptr [rsp - 8]
bad:	mov qword ptr [rax], 1
	ret
