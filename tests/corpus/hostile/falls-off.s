# attack: runs off the end of the text
# property: P6
# expect: V-24 control-leaves-text end
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov byte ptr [rsi], 1
end:
