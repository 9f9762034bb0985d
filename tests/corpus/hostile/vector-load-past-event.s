# attack: sixteen bytes loaded at the event's last eight
# property: P1
# expect: V-31 load-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	movdqu xmm0, xmmword ptr [rdi + 104]
	ret
