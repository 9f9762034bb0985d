# shows: elements of 14, 7, 29 and 35 bytes, found by shifts, sums and differences of an index, as a number, from a pointer on, and with a constant in between
# rules: V-31
# state: 2000
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	mov rax, rcx
	shl rax, 4
	lea rdx, [rcx + rcx]
	sub rax, rdx
	mov byte ptr [rsi + rax + 1313], 1
	lea rdx, [rsi + rcx*8]
	sub rdx, rcx
	mov byte ptr [rdx + 1656], 1
	lea rdx, [rsi + rcx*8 + 1656]
	sub rdx, rcx
	mov byte ptr [rdx], 1
	lea rax, [rcx*8 + 1656]
	sub rax, rcx
	mov byte ptr [rsi + rax], 1
	lea rdx, [rcx + rcx*8]
	lea rdx, [rsi + rdx*4]
	sub rdx, rcx
	mov byte ptr [rdx + 284], 1
	lea rax, [rcx*8]
	sub rax, rcx
	lea rax, [rcx + rax*4]
	mov byte ptr [rsi + rax + 578], 1
	mov eax, dword ptr [rdi + 8]
	cmp eax, 49
	ja out
	mov ecx, eax
	shl eax, 5
	sub eax, ecx
	mov byte ptr [rsi + rax + 480], 1
out:
	ret
