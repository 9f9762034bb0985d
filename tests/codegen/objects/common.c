/* A tentative definition, which the linker must place. */
struct event { unsigned long arg[6]; };
struct none { char c; };
unsigned long spot[3];

void probe(const struct event *ev, struct none *st)
{
	(void)st;
	spot[1] += ev->arg[0];
}
