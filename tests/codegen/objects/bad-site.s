	.section "ward!libc.so.6!read:later","ax",@progbits
	.type	first, @function
first:	ret
	.section "ward!read","ax",@progbits
	.type	second, @function
second:	ret
	.section "ward!kernel:sched","ax",@progbits
	.type	third, @function
third:	ret
