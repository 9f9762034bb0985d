# attack: a proof that lies: four bytes of a slot are a number, though the probe set only one of them
# property: P9
# expect: V-60 claim-not-implied here
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0  .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances
# proof: 0 .block @here .depth 0 .claims 2 rsi pointer state 1 0 0 slot:1 number 48 255 3 4 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov al, 3
	mov qword ptr [rsp - 8], rax
here:	mov eax, dword ptr [rsp - 8]
	mov dword ptr [rsi], eax
	ret
