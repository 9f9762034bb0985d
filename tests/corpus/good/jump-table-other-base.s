# shows: entries count from the first case instead of the table: any constant in read-only data will do
# rules: V-27
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rdi]
	and eax, 1
	lea rcx, [rip + table]
	movsxd rax, dword ptr [rcx + rax*4]
	lea rcx, [rip + base]
	add rax, rcx
	jmp rax
two:	mov byte ptr [rsi], 2
	ret
three:	mov byte ptr [rsi], 3
out:	ret
	.section .rodata, "a"
	.p2align 2
base:	.long 0
table:	.long two - base, three - base
