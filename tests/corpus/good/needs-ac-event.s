# shows: two fields of the event, half of each
# rules: V-31
# state: 64
# needs: ac-clear
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi + 4]
	mov qword ptr [rsi], rax
	ret
