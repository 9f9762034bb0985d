# shows: sets four bytes of a slot and reads those
# rules: V-51
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov dword ptr [rsp - 8], 1
	mov eax, dword ptr [rsp - 8]
	mov qword ptr [rsi], rax
	ret
