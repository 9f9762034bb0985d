# shows: a buffer that ends with its region whatever its length, and the greatest id
# rules: V-73
# state: 64
# allow: ward_read ward_clock
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	mov rbx, rsi
	mov rdx, qword ptr [rdi]
	mov esi, dword ptr [rdi + 8]
	and esi, 15
	lea rdi, [rbx + 49]
	call qword ptr [rip + ward_read@GOTPCREL]
	mov byte ptr [rbx + rax + 48], 1
	mov edi, 7
	call qword ptr [rip + ward_clock@GOTPCREL]
	pop rbx
	ret
