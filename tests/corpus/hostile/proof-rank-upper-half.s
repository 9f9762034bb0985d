# attack: a proof that lies: four bytes of a slot rank the loop, and what moves are the four above them
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 slot:2 s:1 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi
# proof: pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 2 rsi pointer state 1 0 0 slot:2 number 33 0 7 b:4 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov dword ptr [rsp - 16], 0
	movabs rcx, 0x100000000
head:	mov eax, dword ptr [rsp - 16]
	movabs rcx, 0x100000000
	add rax, rcx
	mov qword ptr [rsp - 16], rax
	cmp dword ptr [rsi], 1
bad:	jb head
	ret
