# attack: a counter in the state, which others may change
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov dword ptr [rsi], 0
head:	inc dword ptr [rsi]
	cmp dword ptr [rsi], 1000
bad:	jb head
	ret
