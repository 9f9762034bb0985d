# attack: saves the low half of rbx, where it would look like bytes of its own
# property: P9
# expect: V-50 read-of-unset-register bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov dword ptr [rsp - 8], ebx
	mov eax, dword ptr [rsp - 8]
	mov dword ptr [rsi], eax
	ret
