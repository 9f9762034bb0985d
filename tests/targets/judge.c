/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A count is right if it equals the program's own, or if the missing calls were counted as dropped. If a signal
 * handler may be left by siglongjmp at any moment, the program itself can't know some numbers exactly; they have a
 * lower and an upper bound.
 */
#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct module modules[] = {
	{.name = "entry", .probes = 8, .args = true},
	{.name = "both", .probes = 16, .args = true, .sums = true, .odd = true},
	{.name = "pairs", .probes = 16, .args = true, .sums = true, .keeps = true},
	{.name = "latency", .probes = 8, .sums = true, .keeps = true, .time = true},
	{.name = "throws", .probes = 24, .args = true, .sums = true, .keeps = true, .throws = true},
	{.name = "bytes", .probes = 16, .args = true, .sums = true, .keeps = true},
	{.name = "all", .probes = 16, .args = true, .sums = true, .keeps = true, .time = true, .calls = true},
};
const unsigned n_modules = sizeof(modules) / sizeof(modules[0]);

struct said {
	char *why;
	size_t size;
	bool well;
};

static void say(struct said *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct said *s, const char *fmt, ...)
{
	size_t n = strlen(s->why);
	va_list args;

	va_start(args, fmt);
	vsnprintf(s->why + n, s->size - n, fmt, args);
	va_end(args);
	s->well = false;
}

struct bounds {
	uint64_t least, most;
};

static struct bounds bounds_of(const struct own_function *o, uint64_t jumps, enum end end)
{
	struct bounds b = {o->thrown, o->thrown};

	if (end == ENTRY)
		b = (struct bounds){o->entered, o->begun};
	if (end == RETURN)
		b = (struct bounds){o->returned < o->ended ? o->returned : o->ended, o->ended};
	b.least -= jumps < b.least ? jumps : b.least;
	return b;
}

static uint64_t counted_of(const struct traced_function *f, enum end end)
{
	return end == ENTRY ? f->calls : end == RETURN ? f->rets : f->throws;
}

static void judge_sums(struct said *s, const struct module *m, unsigned k, const struct own_function *o,
	const struct traced_function *f)
{
	if (m->args && f->attached[ENTRY] && f->calls == o->begun && o->begun == o->entered && f->args != o->args)
		say(s, "t_%u: arguments' sum %#llx, not %#llx; ", k, (unsigned long long)f->args,
			(unsigned long long)o->args);
	if (m->odd && o->ended && !o->rets)
		return; /* the function ends as another one: nothing is known of that there */
	if (m->sums && f->attached[RETURN] && f->rets == o->ended && o->ended == o->returned && f->sums != o->rets)
		say(s, "t_%u: results' sum %#llx, not %#llx; ", k, (unsigned long long)f->sums,
			(unsigned long long)o->rets);
}

static void judge_pairs(struct said *s, unsigned k, const struct traced_function *f)
{
	if (f->foreign)
		say(s, "t_%u: %llu events of another call; ", k, (unsigned long long)f->foreign);
	if (f->early)
		say(s, "t_%u: %llu calls took too long; ", k, (unsigned long long)f->early);
	if (f->late)
		say(s, "t_%u: %llu calls didn't take long enough; ", k, (unsigned long long)f->late);
	if (f->odd)
		say(s, "t_%u: %llu events with what can't be; ", k, (unsigned long long)f->odd);
}

bool judge(const struct module *m, const struct own *own, const struct traced *t, bool whole, char *why, size_t size)
{
	static const char *const ends[] = {"calls", "returns", "exceptions"};
	struct said s = {why, size, true};
	uint64_t least = 0, most = 0, counted = 0, may = own->handled + 8 * own->jumps + own->aside, jumped = 0;

	why[0] = 0;
	if (!t->ended) {
		say(&s, "no end of the trace");
		return false;
	}
	for (unsigned k = 0; k < FUNCTIONS; k++) {
		const struct traced_function *f = &t->f[k];

		for (enum end e = ENTRY; e <= THROWN; e++) {
			struct bounds b = bounds_of(&own->f[k], own->jumps, e);
			uint64_t n = counted_of(f, e);

			counted += n;
			if (n > (f->attached[e] ? b.most : 0))
				say(&s, "t_%u: %llu %s counted of %llu; ", k, (unsigned long long)n, ends[e],
					(unsigned long long)b.most);
			if (!f->attached[e])
				continue;
			least += b.least;
			most += b.most;
		}
		jumped += own->f[k].jumped;
		judge_pairs(&s, k, f);
		if (whole && !own->jumps)
			judge_sums(&s, m, k, &own->f[k], f);
	}
	/* A probe's run that a signal handler has left is counted as one, whatever it has come to. */
	if (t->events < counted || t->events > counted + own->jumps)
		say(&s, "%llu events, but %llu counted; ", (unsigned long long)t->events, (unsigned long long)counted);
	if (!whole)
		return s.well;
	may += (m->keeps ? own->deep : 0) + (m->throws ? jumped : 0);
	most += m->throws ? jumped : 0;
	/*
	 * Where stacks are copied, two calls at one place may have the same registers, and a call that a jump has left
	 * may still be returned to. Then it is unknown which one returns.
	 */
	if (own->copied && m->keeps)
		may = own->jumps ? most : may + 8 * (own->copied + jumped);
	/* From then on events are dropped in which a probe would do what a thread has been forbidden. */
	if (own->forbidden && (m->time || m->calls))
		may = most;
	if (counted + t->dropped < least)
		say(&s, "%llu events and %llu dropped of %llu; ", (unsigned long long)counted,
			(unsigned long long)t->dropped, (unsigned long long)least);
	if (counted + t->dropped > most)
		say(&s, "%llu events and %llu dropped, of no more than %llu; ", (unsigned long long)counted,
			(unsigned long long)t->dropped, (unsigned long long)most);
	if (t->dropped > may)
		say(&s, "%llu events dropped, which may be %llu; ", (unsigned long long)t->dropped,
			(unsigned long long)may);
	return s.well;
}
