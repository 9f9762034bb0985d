# shows: calls two imports, whose results and buffer it uses
# rules: V-22 V-70 V-71 V-72 V-73
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
	mov rdi, rsi
	mov esi, 32
	call qword ptr [rip + ward_read@GOTPCREL]
	mov qword ptr [rbx + 32], rax
	mov edi, 1
	call qword ptr [rip + ward_clock@GOTPCREL]
	mov qword ptr [rbx + 40], rax
	pop rbx
	ret
