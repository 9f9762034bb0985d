# attack: a locked access at an index whose low bits are not known
# property: P10
# expect: V-36 locked-access-misaligned bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rdi]
	and eax, 30
bad:	lock add dword ptr [rsi + rax], 1
	ret
