# shows: a cursor that is kept on the stack over a call, out of the callee's reach
# rules: V-65
# state: 256
# proof: v:2 2 @callee .keeps 68 .windows 1 8 1 .results 0 .loops 0 .cursors 0 .blocks 1 .block @callee .depth 0
# proof: .claims 1 rcx pointer b:5 1 0 0 .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 2 .loop 1 4 0 rdx
# proof: s:-1 0 .loop 2 3 0 rax s:1 0 .cursors 1 .cursor 0 1 1 b:1 .blocks 5 .block @probe .depth 0 .claims 2 rsi
# proof: pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @head .depth 24 .claims 3 rax number 513 0
# proof: 98 0 0 rdx number 1 1 50 rsi pointer state 1 0 0 .distances 0 .block @inner .depth 24 .claims 3 rax number 1
# proof: 0 97 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @next .depth 24 .claims 3 rax
# proof: number 513 0 98 0 0 rdx number 129 1 50 0 s:0 rsi pointer state 1 0 0 .distances 0 .block @out .depth 24
# proof: .claims 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	sub rsp, 24
	xor eax, eax
	mov edx, 50
head:	cmp rax, 98
	jae out
inner:	inc rax
	cmp byte ptr [rsi + rax], 1
	je next
	cmp rax, 98
	jb inner
next:	mov qword ptr [rsp + 8], rax
	mov qword ptr [rsp], rdx
	mov rcx, rsp
	call callee
	mov rax, qword ptr [rsp + 8]
	cmp rax, 98
	ja out
	dec rdx
	jne head
out:	add rsp, 24
	ret
callee:
	mov qword ptr [rcx], 0
	ret
