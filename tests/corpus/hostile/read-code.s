# attack: reads its own code as data
# property: P1
# expect: V-30 load-outside-module bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov al, byte ptr [rip + probe]
	mov byte ptr [rsi], al
	ret
