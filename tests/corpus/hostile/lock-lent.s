# attack: a locked access to a caller's window, whose alignment is not known
# property: P10
# expect: V-36 locked-access-misaligned bad
# state: 64
# proof: 2 @callee .keeps 0 .windows 1 8 1 .results 0 .loops 0  .blocks 1 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 0 .distances 0 @probe .keeps 0
# proof: .windows 0 .results 0 .loops 0  .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, rsi
	call callee
	ret
callee:
bad:	lock inc qword ptr [rcx]
	ret
