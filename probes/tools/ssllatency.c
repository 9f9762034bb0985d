/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long do handshakes, reads and writes of OpenSSL take?
 *
 *	ward trace -p PID -d 10 probes/tools/ssllatency.c
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	WARD_MAP(ward_site, ward_stat_elapsed, 8) calls;
	ward_log2_elapsed handshakes;
};

static void count(const struct ward_event *ev, struct ward_state *st)
{
	ward_stat_add(ward_map_at(&st->calls, (ward_site)ev->site), ev->elapsed);
}

WARD_ENTRY("libssl.so.3!SSL_read:return")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

WARD_ENTRY("libssl.so.3!SSL_write:return")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

WARD_ENTRY("libssl.so.3!SSL_read_ex:return")
void on_read_ex(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

WARD_ENTRY("libssl.so.3!SSL_write_ex:return")
void on_write_ex(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

WARD_ENTRY("libssl.so.3!SSL_do_handshake:return")
void on_handshake(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
	ward_log2_add(&st->handshakes, ev->elapsed);
}
