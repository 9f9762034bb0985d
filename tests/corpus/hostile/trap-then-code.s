# attack: what follows a trap is no more reached than what follows a return
# property: P6
# expect: V-25 unreached-code bad
# expect: V-54 trap-reachable trap
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
trap:	ud2
bad:	mov byte ptr [rsi], 1
	ret
