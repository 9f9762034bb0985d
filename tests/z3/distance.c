/*
 * distance.c: from what is known of the distance of two symbols to that of two values, which are those symbols plus constants, and back. All is
 * modulo 2^64.
 */
#include "queries.h"

static struct memory memory;

/* struct wv_num moved(n, by) */
void build_moved(const struct query *q)
{
	struct number n = valid_number("n");
	term x = input("x", 64), by = input("by", 64), z = add(x, by);
	struct value args[] = {number_object(&memory, NULL), number_object(&memory, &n), exec_bits(by)};
	witness(x);
	witness(by);
	witness(z);
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, member(&n, x));
}
