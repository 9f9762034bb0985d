# attack: exchanges a saved register with the state
# property: P9
# class: two-destinations
# expect: V-35 store-of-host-value bad
# expect: V-42 callee-saved-register-changed end
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
bad:	xchg qword ptr [rsi], rbx
end:	ret
