# shows: of two numbers without bits in common, and of any two, the bits of both are at most their sum
# rules: V-13 V-10
# state: 320
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	mov ecx, eax
	and ecx, 31
	shr rax, 60
	cmp rax, 9
	ja out
	shl rax, 5
	or rcx, rax
	mov byte ptr [rsi + rcx], 1
	mov edx, eax
	xor edx, 31
	mov byte ptr [rsi + rdx], 2
out:	ret
