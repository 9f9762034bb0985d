# shows: hints, landing pads and bytes that do nothing, whose rows follow the vector rows: the kernel profile has them
# rules: V-14
# profile: kernel
# state: 64
# exit: return done 1
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	endbr64
	pause
	lfence
	mfence
	sfence
	nop
	xor eax, eax
done:
	ret
