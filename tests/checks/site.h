/* SPDX-License-Identifier: Apache-2.0 */
/* Sites: places in the copy of the verifier that can be turned off. rewrite.c makes them, run.c uses them. */
#ifndef WARD_TESTS_SITE_H
#define WARD_TESTS_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ward_site {
	const char *file;
	unsigned line;
	char kind; /* 'c' check, 'o' choice, 's' step */
	bool to;   /* what a condition is while it is off */
	const char *function, *text;
	uint8_t *seen; /* set to 1 where turning it off would make a difference */
};

/* The site that is off, or NULL. */
extern struct ward_site *ward_site_off;

void ward_site_enter(struct ward_site *sites, size_t n);

/* A condition. */
static inline bool ward_site_is(struct ward_site *s, bool value)
{
	if (value != s->to)
		*s->seen = 1;
	return s == ward_site_off ? s->to : value;
}

/* Is this step done? */
static inline bool ward_site_done(struct ward_site *s)
{
	*s->seen = 1;
	return s != ward_site_off;
}

#endif
