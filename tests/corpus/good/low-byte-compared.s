# shows: what a comparison shows of the low byte of a register holds when the byte is extended, whatever the rest is, and even if the rest is not set
# rules: V-31 V-50
# state: 114
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	movzx eax, byte ptr [rdi]
	sub eax, 9
	cmp al, 113
	ja part
	movzx eax, al
	mov byte ptr [rsi + rax], 1
part:	mov dl, byte ptr [rdi]
	add dl, -9
	cmp dl, 113
	ja out
	movzx edx, dl
	mov byte ptr [rsi + rdx], 1
out:	ret
