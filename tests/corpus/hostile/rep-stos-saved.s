# attack: fills over a saved register at an index
# property: P3
# expect: V-34 store-over-saved-register bad
# expect: V-42 callee-saved-register-changed end
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rdx, qword ptr [rdi]
	and edx, 7
	push rbx
	sub rsp, 64
	lea rdi, [rsp + rdx]
	xor eax, eax
	mov ecx, 58
bad:	rep stosb
	add rsp, 64
	pop rbx
end:	ret
