# shows: counts of bits index the state
# rules: V-13 V-10
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	popcnt rcx, rax
	dec rcx
	cmp rcx, 63
	ja out
	mov byte ptr [rsi + rcx], 1
	lzcnt ecx, eax
	mov byte ptr [rsi + rcx], 2
	tzcnt ecx, eax
	mov byte ptr [rsi + rcx], 3
	bzhi ecx, eax, ecx
	and ecx, 63
	mov byte ptr [rsi + rcx], 4
	mov edx, 6
	bzhi rcx, rax, rdx
	mov byte ptr [rsi + rcx], 5
	shrx rcx, rax, rdx
	mov edx, 63
	pext rcx, rax, rdx
	mov byte ptr [rsi + rcx], 6
out:	ret
