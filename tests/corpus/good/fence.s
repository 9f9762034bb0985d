# shows: gcc's fence, whether the return address, bytes that were never set, or a kept value stand at rsp
# rules: V-33 V-51
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	lock or qword ptr [rsp], 0
	mov qword ptr [rsi + rax*8], rax
	sub rsp, 8
	lock or qword ptr [rsp], 0
	mov qword ptr [rsp], rax
	lock or qword ptr [rsp], 0
	mov rcx, qword ptr [rsp]
	inc qword ptr [rsi + rcx*8]
	add rsp, 8
	mfence
	ret
