# shows: an index that is checked against the size
# rules: V-31 V-52 V-60 V-21
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 64
	jae out
	mov byte ptr [rsi + rax], 1
out:	ret
