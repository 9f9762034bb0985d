# shows: a window of the state, whose alignment the callee does not know
# rules: V-60 V-64
# state: 64
# needs: ac-clear
# proof: 2 @callee .keeps 0 .windows 1 8 1 .results 0 .loops 0 .blocks 1 .block @callee .depth 0 .claims 1 rcx pointer b:5 1 0 0
# proof: .distances 0 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 1 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	lea rcx, [rsi + 56]
	push rsi
	call callee
	pop rsi
	mov byte ptr [rsi], 1
	ret
callee:
	mov qword ptr [rcx], 1
	ret
