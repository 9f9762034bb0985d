# attack: overwrites its own code through a rip-relative address
# property: P6
# expect: V-30 store-outside-module bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	mov byte ptr [rip + probe], 0x90
	ret
