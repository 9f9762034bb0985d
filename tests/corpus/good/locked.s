# shows: adds, exchanges and compares with the state as a whole
# rules: V-36 V-11
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	lock add qword ptr [rsi], rax
	and eax, 7
	lock inc dword ptr [rsi + rax*8]
	mov ecx, 1
	lock xadd qword ptr [rsi + rax*8], rcx
	xchg byte ptr [rsi + 1], cl
	mov rax, qword ptr [rsi + 56]
	mov rcx, rax
	or rcx, 1
	lock cmpxchg qword ptr [rsi + 56], rcx
	jne out
	lock bts dword ptr [rsi + 60], 31
	mov qword ptr [rsp - 8], 0
	lock dec qword ptr [rsp - 8]
out:	ret
