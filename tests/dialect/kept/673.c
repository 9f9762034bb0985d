/* The distance of a pointer from one that may be NULL is an address to the verifier, and may be the index into a constant. */
/* compiled as usual */
#include <stddef.h>
#include <ward/probe.h>

struct ward_state {
	char buf[256];
	size_t len;
	int kept, others;
};

static int equals(const char *a, size_t n, const char *literal)
{
	size_t i;

	for (i = 0; i < n && literal[i]; i++)
		if (a[i] != literal[i])
			return 0;
	return i == n && !literal[i];
}

WARD_ENTRY("x!recv")
void on_recv(const struct ward_event *ev, struct ward_state *st)
{
	static const char text[] = "keep:close\rclo:se\rx:close\rclose\r:clos\rclose:\r";
	const char *p = st->buf, *end, *colon = NULL;

	st->len = ev->arg[0] % (sizeof(text) - 1);
	for (size_t i = 0; i + st->len < sizeof(text); i++)
		st->buf[i] = text[st->len + i];
	end = p + (sizeof(text) - st->len);
	for (; p < end && *p != '\r'; p++)
		if (*p == ':')
			colon = p + 1;
	if (!colon)
		st->others++;
	else
		st->kept += equals(colon, (size_t)(p - colon), "close");
}
