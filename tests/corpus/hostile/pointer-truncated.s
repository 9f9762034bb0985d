# attack: a pointer loses its upper half and is used
# property: P1
# class: zero-extension-32
# expect: V-30 store-through-number bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, esi
bad:	mov byte ptr [rax], 1
	ret
