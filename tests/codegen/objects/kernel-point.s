	.section "ward!kernel:sched:return","ax",@progbits
	.type	first, @function
first:	ret
