# attack: branches into the immediate of an instruction
# property: P6
# class: instruction-overlap
# expect: V-20 block-inside-instruction hidden+1
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	cmp rax, 1
	je hidden + 1
hidden:	mov eax, 0x050f
	ret
