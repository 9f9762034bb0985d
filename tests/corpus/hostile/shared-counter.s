# attack: a loop that counts in shared data, which other threads count down
# property: P8
# expect: V-62 loop-not-bounded bad
# state: 64
	.intel_syntax noprefix
	.text
	.globl probe
	.type probe, @function
probe:
	mov qword ptr [rip + shared], 0
head:	mov eax, 1
	lock xadd qword ptr [rip + shared], rax
	cmp rax, 1000
bad:	jb head
	ret
	.data
	.p2align 6
shared:	.fill 16, 8, 0
