# attack: seven times a number from the eighth byte of the state on, within bounds counted from the state's start
# property: P1
# expect: V-31 store-outside-region bad
# state: 351
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	add rsi, 8
	lea rdx, [rsi + rcx*8]
	sub rdx, rcx
bad:	mov byte ptr [rdx], 1
out:
	ret
