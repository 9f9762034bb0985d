/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose types test_btf.c reads, as clang describes them. This file is compiled for BPF, where a function
 * has at most five arguments, and is never run.
 */
typedef long long loff_t;
typedef unsigned long size_t;
typedef int (*compare_fn)(const void *, const void *);
struct inode {
	unsigned long number;
};
struct file {
	struct inode *inode;
};
union number {
	long i;
	double f;
};
struct pair {
	long a, b;
};
enum kind { ONE, TWO };

long vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	return buf[count] + *pos + (long)file;
}

int many(_Bool yes, const char *const *names, int (*fn)(struct file *, void *, ...), long (*rows)[4])
{
	return yes + (int)(long)names + (int)(long)fn + (int)(*rows)[1];
}

int more(volatile enum kind *kind, union number *number, char *restrict last)
{
	return *kind + (int)number->i + *last;
}

void sorts(void *base, compare_fn fn, struct { int x; } * anonymous)
{
	fn(base, anonymous);
}

void nothing(void)
{
}

int __traceiter_switched(void *__data, _Bool preempt, struct file *prev, unsigned int state)
{
	return preempt + (int)(long)prev + (int)state + (int)(long)__data;
}

int __traceiter_bare(void *__data)
{
	return (int)(long)__data;
}

int __traceiter_wide(void *__data, struct pair pair)
{
	return (int)(pair.a + pair.b + (long)__data);
}
