# shows: numbers, pointers, results, and windows of state and stack pass a call
# rules: V-60 V-31 V-64
# state: 64
# proof: 2 @callee .keeps 0 .windows 2 8 1 8 1 .results 1 rax number 1 0 63 .loops 0 .blocks 1 .block @callee .depth 0 .claims 3 rcx pointer b:5 1 0 0 rdx pointer b:6 1 0 0 rdi pointer event 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push 5
	mov rdx, rsp
	lea rcx, [rsi + 56]
	push rsi
	call callee
	pop rsi
	pop rdx
	mov byte ptr [rsi + rax], 1
	ret
callee:
	mov qword ptr [rcx], 1
	mov qword ptr [rdx], 2
	mov rax, qword ptr [rdi]
	and eax, 63
leave:	ret
