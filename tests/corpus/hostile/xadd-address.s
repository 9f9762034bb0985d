# attack: xadd whose second destination is in the address of the first
# property: P1
# class: two-destinations
# expect: V-31 load-outside-region bad
# expect: V-31 store-outside-region bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
bad:	lock xadd qword ptr [rsi + rax*8], rax
	ret
