# attack: moves by a number of steps that may be none
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	xor eax, eax
1:	movzx ecx, byte ptr [rsi]
	and ecx, 3
	add eax, ecx
	cmp eax, 60
bad:	jb 1b
	ret
