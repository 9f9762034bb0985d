# shows: stores to the slot next to the return address and reads it back
# rules: V-33 V-51 V-41 V-40
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 8
	mov qword ptr [rsp], 1
	mov rax, qword ptr [rsp]
	mov qword ptr [rsi], rax
	add rsp, 8
	ret
