# attack: a loaded pointer's distance from a window is compared with more than the window's size
# property: P1
# expect: V-31 store-outside-region bad
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 16 1 .results 0 .loops 0 .blocks 2 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 0 .distances 0 .block @leave .depth 0 .claims 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, rsi
	call callee
	ret
callee:
	mov rax, qword ptr [rcx]
	mov rdx, rax
	sub rdx, rcx
	cmp rdx, 9
	ja leave
bad:	mov qword ptr [rax], 1
leave:	ret
