# attack: replaces its return address
# property: P3
# expect: V-33 stack-above-frame bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov eax, 1
bad:	mov qword ptr [rsp], rax
	ret
