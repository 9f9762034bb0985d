# attack: a store across two slots, one of which held a checked index
# property: P1
# class: slot-overwritten
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 16], 5
	mov rax, qword ptr [rdi]
	mov dword ptr [rsp - 18], eax
	mov rax, qword ptr [rsp - 16]
bad:	mov byte ptr [rsi + rax], 1
	ret
