# attack: a proof that lies: a slot ranks the loop, and is overwritten in part before the back edge
# property: P8
# expect: V-62 loop-not-bounded bad
# expect: V-60 claim-not-implied bad
# says: not moved by a known step
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 1 .loop 1 2 0 slot:1 s:1 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi
# proof: pointer event 1 0 0 .distances 0 .block @head .depth 0 .claims 2 rsi pointer state 1 0 0 slot:1 number 1 0 7 .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rsp - 8], 0
head:	inc qword ptr [rsp - 8]
	mov byte ptr [rsp - 8], 0
	cmp dword ptr [rsi], 1
bad:	jb head
	ret
