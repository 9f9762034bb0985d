# Switches without a default: the next one is only found behind the cases of the one before.
	.intel_syntax noprefix
	.macro switch
	mov eax, dword ptr [rsi]
	and eax, 3
	lea rdx, [rip + .Ltable\@]
	movsxd rax, dword ptr [rdx + rax*4]
	add rax, rdx
	jmp rax
.Lcase\@:
	.pushsection .rodata
.Ltable\@:
	.rept 4
	.long .Lcase\@ - .Ltable\@
	.endr
	.popsection
	.endm

	.ifndef switches
	.set switches, 66
	.endif
	.text
	.globl probe
	.type probe, @function
probe:
	.rept switches
	switch
	.endr
	ret
