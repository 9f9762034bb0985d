# attack: a proof that lies: rbx is saved in a slot that was overwritten
# property: P5
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 8 .claims 2
# proof: rbx uninit slot:1 saved 3 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	mov qword ptr [rsp], 0
	xor ebx, ebx
here:	pop rbx
	ret
