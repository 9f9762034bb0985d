# shows: one place that is no multiple of eight
# rules: V-31
# state: 64
# needs: ac-clear
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	inc qword ptr [rsi + 1]
	ret
