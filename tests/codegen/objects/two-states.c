/* Two probe functions with different states. */
struct event { unsigned long arg[6]; };
struct small { unsigned long n; };
struct large { unsigned long n, m; };

void first(const struct event *ev, struct small *st)
{
	st->n += ev->arg[0];
}

void second(const struct event *ev, struct large *st)
{
	st->m += ev->arg[0];
}
