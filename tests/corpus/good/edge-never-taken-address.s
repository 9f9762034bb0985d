# shows: a loaded pointer that is above one place can't be below an earlier one: that edge is never taken, so nothing needs to hold at its target, even if the pointer is gone by then
# rules: V-60
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov rax, qword ptr [rsi]
	lea rcx, [rsi + 57]
	cmp rax, rcx
	jb out
	lea rcx, [rsi + 8]
	mov rdx, -1
	cmp rax, rcx
	mov eax, 0
	jbe small
	mov edx, 7
small:	mov byte ptr [rsi + rdx], 1
out:	ret
