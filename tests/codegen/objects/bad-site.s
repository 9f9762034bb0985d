	.section "ward!libc.so.6!read:later","ax",@progbits
	.type	first, @function
first:	ret
	.section "ward!read","ax",@progbits
	.type	second, @function
second:	ret
	.section "ward!kernel:sched","ax",@progbits
	.type	third, @function
third:	ret
	.section "ward!profile:often","ax",@progbits
	.type	fourth, @function
fourth:	ret
	.section "ward!kernel:9","ax",@progbits
	.type	fifth, @function
fifth:	ret
