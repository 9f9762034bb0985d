/* SPDX-License-Identifier: MIT-0 */
/*
 * ward/kernel.h: the kernel's structures for kernel probes, and how to read them. They come from the kernel's own
 * types (BTF) where the probe is compiled.
 *
 *	const struct file *file = WARD_ARG(struct file *, 0);
 *	unsigned long inode = WARD_GET(WARD_GET(file, f_inode), i_ino);
 *	ward_kernel_read_str(st->name, sizeof st->name, (uint64_t)WARD_GET(file, f_path.dentry, d_name.name));
 *
 * A probe can't follow a pointer of the kernel's, because nobody knows whether it still is one. WARD_GET copies the
 * member that it leads to, and is zero where that can't be read. Each costs some hundred instructions. Of several
 * members each but the last is a pointer that is followed; for more than four use a WARD_GET of a WARD_GET. WARD_ARG
 * reads the event that is called `ev`.
 *
 * A kernel probe has 1024 bytes of stack, of which an import takes up to 448. Put records and buffers of more than
 * some 500 bytes into the state, not into local variables.
 *
 * The kernel's modules have structures of their own. WARD_KERNEL_MODULE asks for those of a module, by its name in
 * lsmod:
 *
 *	#include <ward/kernel.h>
 *	WARD_KERNEL_MODULE(loop);
 *
 *	const struct loop_device *device = WARD_GET(WARD_ARG(struct blk_mq_hw_ctx *, 0), queue, queuedata);
 *
 * The module must be loaded where the probe is compiled. With --btf FILE its types are in the file of its name beside
 * FILE. What is built into the kernel is no module. If several structures have one name, the second is NAME___2, and
 * so on: the kernel's come first, then those of modules in the order in which they are asked for.
 *
 * The source itself must include this header, between < and >, and ask for modules. Structures have all their members
 * but bit fields, which have no address. Typedefs and enumerations have no names: they are what they stand for, and
 * numbers. A pointer to something without a name, a function or `struct { }`, is a pointer to void.
 */
#ifndef WARD_KERNEL_H
#define WARD_KERNEL_H

#include <ward/imports.h>

#ifndef WARD_KERNEL_TYPES
#pragma clang diagnostic fatal "-W#warnings" /* not #error: nothing that follows would make sense */
#warning the kernel's types aren't there: the probe's own file must say #include <ward/kernel.h>, \
and be compiled for the kernel (ward cc --profile kernel, ward trace --kernel)
#endif

/*
 * To be asked for as it stands here, in the probe's own source: that is read before it is compiled, and the macro then
 * only sees whether the module's types are there.
 */
#define WARD_KERNEL_MODULE(name) \
	_Static_assert(sizeof(WARD_KERNEL_TEXT(WARD_KERNEL_TYPES_##name)) == sizeof("1"), \
		"the types of this module aren't there: WARD_KERNEL_MODULE(name) must stand in the probe's own file, " \
		"not in what that includes, nor in a macro")
#define WARD_KERNEL_TEXT(name) WARD_KERNEL_TEXT_(name)
#define WARD_KERNEL_TEXT_(name) #name

/* Structures are packed, so that each member is where the kernel has it; nobody follows these addresses. */
#pragma clang diagnostic ignored "-Waddress-of-packed-member"

/* Argument i of the event, as the pointer or number that it is. */
#define WARD_ARG(type, i) \
	((type)ev->arg[(i) + 0 * sizeof(struct { \
		_Static_assert((i) >= 0 && (i) < 6, "the arguments of which a probe is told are 0 to 5"); \
		char c; \
	})])

/* The address of a member, "f_path.dentry" or "comm". */
#define WARD_AT(pointer, member) ((uint64_t)&(pointer)->member)

/* What it holds. */
#define WARD_GET_1(pointer, member) \
	({ \
		__auto_type ward_at_ = &(pointer)->member; \
		_Static_assert(sizeof(*ward_at_) > 0, "this is a bit field, or empty, and can't be read"); \
		_Static_assert(__builtin_types_compatible_p(__typeof__(*ward_at_), __typeof__((void)0, *ward_at_)), \
			"this is an array: read it with ward_kernel_read(buffer, sizeof buffer, WARD_AT(pointer, " \
			"member))"); \
		__typeof__((void)0, *ward_at_) ward_got_; \
		ward_kernel_read(&ward_got_, sizeof(ward_got_), (uint64_t)ward_at_); \
		ward_got_; \
	})
#define WARD_GET_2(pointer, a, b) WARD_GET_1(WARD_GET_1(pointer, a), b)
#define WARD_GET_3(pointer, a, b, c) WARD_GET_1(WARD_GET_2(pointer, a, b), c)
#define WARD_GET_4(pointer, a, b, c, d) WARD_GET_1(WARD_GET_3(pointer, a, b, c), d)
#define WARD_GET_MANY(pointer, ...) \
	({ \
		_Static_assert(0, "WARD_GET follows at most four members: let the first be a WARD_GET of its own, " \
				  "WARD_GET(WARD_GET(pointer, a, b), c, d)"); \
		0; \
	})
#define WARD_GET_NONE(pointer) \
	({ \
		_Static_assert(0, "WARD_GET wants a pointer and a member of what it points to"); \
		0; \
	})
#define WARD_GET_N(pointer, a, b, c, d, e, f, g, h, name, ...) name
#define WARD_GET(...) \
	WARD_GET_N(__VA_ARGS__, WARD_GET_MANY, WARD_GET_MANY, WARD_GET_MANY, WARD_GET_MANY, WARD_GET_4, WARD_GET_3, \
		WARD_GET_2, WARD_GET_1, WARD_GET_NONE, )(__VA_ARGS__)

#endif
