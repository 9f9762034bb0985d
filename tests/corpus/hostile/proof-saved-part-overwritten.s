# attack: a proof that lies: rbx is saved in a slot that was overwritten in one byte
# property: P4
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 .block @here .depth 0 .claims 2 rbx number 0 slot:1 saved b:3 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], rbx
	xor ebx, ebx
	mov byte ptr [rsp - 8], 1
here:	mov rbx, qword ptr [rsp - 8]
	ret
