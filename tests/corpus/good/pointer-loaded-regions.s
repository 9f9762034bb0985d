# shows: pointers into two regions, distinguished by their distances
# rules: V-30 V-31
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	mov rcx, rax
	sub rcx, rdi
	cmp rcx, 8
	ja 1f
	mov rdx, qword ptr [rax]
	ret
1:	mov rdx, qword ptr [rsi + 8]
	mov rcx, rdx
	sub rcx, rsi
	cmp rcx, 56
	ja out
	mov qword ptr [rdx], 1
out:	ret
