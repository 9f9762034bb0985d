# shows: what a callee-saved register held at the entry is claimed of its slot where a loop begins
# rules: V-42 V-60
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rbx
	xor ebx, ebx
again:	mov byte ptr [rsi + rbx], 1
	inc rbx
	cmp rbx, 64
	jb again
	pop rbx
	ret
