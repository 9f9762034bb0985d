# attack: an index is bounded by the order of two places above the frame; how far these are from the end of the address space is not known
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 127
	lea rcx, [rsp + rax + 8]
	lea rdx, [rsp + 24]
	cmp rcx, rdx
	ja out
bad:	mov byte ptr [rsi + rax], 1
out:	ret
