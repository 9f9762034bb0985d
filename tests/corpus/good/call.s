# shows: calls a function and jumps, both to known places
# rules: V-64 V-20 V-22 V-24 V-26
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	call callee
	pop rsi
	mov byte ptr [rsi], 1
	jmp end
end:	ret
callee:	mov qword ptr [rsi + 8], 2
	ret
