# shows: stores to the lowest bytes of the red zone
# rules: V-33
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 128], 1
	mov rax, qword ptr [rsp - 128]
	mov qword ptr [rsi], rax
	ret
