# attack: an entry that is a stub, so that the host would pass event and state to its import
# property: P2
# expect: V-26 entry-is-stub probe
# state: 64
# allow: ward_read
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	jmp qword ptr [rip + ward_read@GOTPCREL]
