# attack: flags are changed between the check and its branch, which then may be taken
# property: P10
# expect: V-54 trap-reachable bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 7
	cmp eax, 8
	mov ecx, dword ptr [rdi]
	add ecx, eax
	jae out
bad:	ud2
out:	ret
