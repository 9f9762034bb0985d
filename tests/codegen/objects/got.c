/* Default visibility: clang goes through the global offset table. */
struct event { unsigned long arg[6]; };
struct state { unsigned long n; };
unsigned long shared[2] = { 1, 2 };

__attribute__((noinline)) unsigned long twice(unsigned long v)
{
	return 2 * v + shared[1];
}

__attribute__((section("ward!libc.so.6!read:return"))) void probe(const struct event *ev, struct state *st)
{
	shared[0]++;
	st->n += twice(ev->arg[0]);
}
