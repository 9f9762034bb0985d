# shows: the low four bytes of a slot and a register that hold one number: the register is found to be a pointer, the slot's word stays the number that it is
# rules: V-30 V-60
# state: 64
# proof: 1 @probe .keeps 0 .windows 0 .results 0 .loops 0 .blocks 2 .block @probe .depth 0 .claims 2 rsi pointer state 1 0 0 rdi pointer event 1 0 0 .distances 0 .block @here .depth 0 .claims 3 rax number 64 0 s:0 rsi pointer state 1 0 0 slot:1 number 97 0 63 b:4 0 s:0
# proof: .distances 0
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, dword ptr [rsi]
	and eax, 63
	mov dword ptr [rsp - 8], eax
here:	mov rcx, rax
	sub rcx, rsi
	mov edx, dword ptr [rsp - 8]
	mov byte ptr [rsi + rdx], 1
	ret
