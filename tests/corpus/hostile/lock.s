# attack: a lock prefix where it has no meaning
# property: P4
# class: prefix-games
# expect: V-11 prefix-not-permitted bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	.byte 0xf0, 0x48, 0x89, 0x06	# lock mov qword ptr [rsi], rax
	ret
