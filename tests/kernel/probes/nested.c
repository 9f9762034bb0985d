/* SPDX-License-Identifier: Apache-2.0 */
/* A probe that calls a function with another probe, which must not run meanwhile. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	ward_count outer, inner, read;
};

WARD_ENTRY("kernel!ward_word_00")
void on_outer(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long word;

	st->outer++;
	st->read += ward_kernel_read(&word, sizeof word, ev->sp) == sizeof word && word == ev->caller;
}

WARD_ENTRY("kernel!copy_from_kernel_nofault")
void on_inner(const struct ward_event *ev, struct ward_state *st)
{
	st->inner++;
}
