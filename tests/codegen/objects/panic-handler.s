# What rustc makes of a crate without std: its #[panic_handler] is global, as the probes are, and goes round for ever; it has either of these names.
	.intel_syntax noprefix
	.section .text.handler, "ax", @progbits
	.globl	rust_begin_unwind, _RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind, probe
	.type	rust_begin_unwind, @function
rust_begin_unwind:
	jmp	rust_begin_unwind
	.section .text.other, "ax", @progbits
	.type	_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind, @function
_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind:
	jmp	_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind
	.section .text.probe, "ax", @progbits
	.type	probe, @function
probe:	inc	qword ptr [rsi]
	ret
