/* SPDX-License-Identifier: MIT-0 */
/*
 * Times. An integer of type ward_elapsed is counts of the time stamp counter, as ev->elapsed is; one of type ward_ns is
 * nanoseconds, as ward_clock gives them. Both are shown as times: 12.3 µs. `ward trace --cycles` shows the counts
 * themselves.
 *
 *	struct slow { ward_elapsed took; char path[32]; };
 *
 *	ward_stat_elapsed calls;
 *	WARD_QUANTILES_OF(ward_elapsed, 5) latency;
 *	WARD_MAP(ward_site, ward_log2_elapsed, 64) by_site;
 *	…
 *	ward_stat_add(&st->calls, ev->elapsed);
 *	ward_quantiles_add(&st->latency, ev->elapsed);
 *	ward_log2_add(ward_map_at(&st->by_site, (ward_site)ev->site), ev->elapsed);
 *
 * Aggregates of times are used as those of numbers, and merged like them.
 *
 * One of type ward_time is a moment, as ev->time has it. It is shown as the time of the day, and of several threads the
 * latest is. A member `time` of a record needs no such type.
 *
 *	WARD_MAP(ward_site, ward_max_time, 64) last_seen;
 *	…
 *	ward_max_add(ward_map_at(&st->last_seen, (ward_site)ev->site), ev->time);
 */
#ifndef WARD_TIME_H
#define WARD_TIME_H

#include "ward/log2.h"
#include "ward/stat.h"

typedef unsigned long ward_elapsed;
typedef unsigned long ward_ns;
typedef unsigned long ward_time;

typedef ward_min ward_min_elapsed, ward_min_ns, ward_min_time;
typedef ward_max ward_max_elapsed, ward_max_ns, ward_max_time;
typedef ward_stat ward_stat_elapsed, ward_stat_ns;
typedef ward_log2 ward_log2_elapsed, ward_log2_ns;

#endif
