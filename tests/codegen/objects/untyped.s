# As a hand writes it: a global label at the section's beginning, and a local one behind it that is no entry.
	.section "ward!libm.so.6!sin","ax",@progbits
	.globl	probe
probe:	jmp	end
end:	ret
