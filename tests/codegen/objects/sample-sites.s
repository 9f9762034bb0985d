	.section "ward!profile:99","ax",@progbits
	.type	first, @function
first:	ret
	.section "ward!interval:100ms","ax",@progbits
	.type	second, @function
second:	ret
	.section "ward!L1-dcache-load-misses:10000","ax",@progbits
	.type	third, @function
third:	ret
