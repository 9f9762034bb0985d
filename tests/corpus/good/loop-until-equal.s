# shows: a loop that runs until two pointers are equal, neither of which is constant
# rules: V-60 V-62 V-31
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 rax s:1 .counted 0 .blocks 3 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
# proof: .block @head .depth 0 .claims 2 rax pointer state 1 0 62 rdx pointer state 1 1 63 .distances 1 rax rdx 0 s:1 1 1 63 .block @out .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov ecx, dword ptr [rdi]
	and ecx, 63
	je out
	lea rdx, [rsi + rcx]
	mov rax, rsi
head:	mov byte ptr [rax], 1
	inc rax
	cmp rax, rdx
	jne head
out:	ret
