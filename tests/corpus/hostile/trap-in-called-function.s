# attack: a function that is called traps for some arguments
# property: P10
# expect: V-54 trap-reachable bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov edi, dword ptr [rdi]
	call check
	ret
check:	cmp edi, 5
	ja bad
	ret
bad:	ud2
