# attack: sixteen times a number less twice the one after it is -2 to begin with
# property: P1
# expect: V-31 store-outside-region bad
# state: 1000
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rcx, qword ptr [rdi]
	cmp rcx, 49
	ja out
	lea rdx, [rcx + 1]
	shl rcx, 4
	add rdx, rdx
	sub rcx, rdx
bad:	mov byte ptr [rsi + rcx], 1
out:
	ret
