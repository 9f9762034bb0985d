# shows: a loop that counts down to zero
# rules: V-62
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 64
head:	mov byte ptr [rsi + rax - 1], 1
	dec rax
	jne head
	ret
