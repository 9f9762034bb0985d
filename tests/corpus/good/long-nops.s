# shows: padding of every length
# rules: V-10 V-11 V-25
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	nop
	.byte 0x66, 0x90
	nop dword ptr [rax]
	nop dword ptr [rax + 8]
	nop dword ptr [rax + rax + 8]
	nop word ptr [rax + rax + 8]
	nop dword ptr [rax + 512]
	nop dword ptr [rax + rax + 512]
	nop word ptr [rax + rax + 512]
	nop word ptr cs:[rax + rax + 512]
	ret
	int3
	int3
