# shows: the import that takes the running task's own stack costs its whole walk, exactly
# rules: V-41 V-63 V-70 V-71
# state: 64
# allow: ward_user_stack_take
# profile: kernel
# max-insns: 81926
# max-stack: 400
# exit: call walk 6
# exit: return done 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	push rsi
	mov edi, 127
walk:
	call qword ptr [rip + ward_user_stack_take@GOTPCREL]
	pop rsi
	mov qword ptr [rsi], rax
done:
	ret
