# attack: a proof that lies: the lower half of a slot gets shorter, the upper half doesn't
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 3 4 slot:2 s:-1 0 .blocks 4 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi
# proof: pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 2 rsi pointer state 1 0 0 slot:2 number 0 .distances 0
# proof: .block @far .depth 0 .claims 2 rax number 129 1 18446744073709551615 0 s:0 rsi pointer state 1 0 0 .distances 0
# proof: .block @end .depth 0 .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, -1
	mov qword ptr [rsp - 16], rax
head:	mov rax, qword ptr [rsp - 16]
	mov ecx, 0xffffffff
	cmp rax, rcx
	ja far
	test rax, rax
	je end
	mov dword ptr [rsp - 12], -1
	shr rax, 1
	mov dword ptr [rsp - 16], eax
bad:	jmp head
far:	shr rax, 1
	mov qword ptr [rsp - 16], rax
	jmp head
end:	ret
