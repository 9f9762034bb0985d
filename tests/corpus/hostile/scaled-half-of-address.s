# attack: only the low half of an address is subtracted from sixteen times the number that is its offset
# property: P1
# expect: V-31 store-outside-region bad
# state: 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	lea rdx, [rsi + rcx]
	shl rcx, 4
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
out:
	ret
