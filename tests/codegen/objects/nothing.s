	.text
helper:	ret
