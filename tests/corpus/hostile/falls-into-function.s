# attack: runs into the next function
# property: P6
# expect: V-24 falls-into-other-function callee
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov byte ptr [rsi], 1
callee:
	ret
	.globl other
	.type other, @function
other:
	call callee
	ret
