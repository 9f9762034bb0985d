/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes of the machine have come, executed a program, mapped code or ended: the kernel tells, by
 * perf_event_open, to users who may look into it.
 */
#ifndef WARD_LOADER_SAMPLE_PROCESS_NEWS_H
#define WARD_LOADER_SAMPLE_PROCESS_NEWS_H

#include "perf_ring.h"

/* Zero at first. */
struct wl_process_news {
	struct wl_rings rings;
	int *events; /* one for each ring */
	size_t n;
};

/* Let the kernel tell from now on. Returns 0 or an error; then nothing is open. */
int wl_process_news_open(struct wl_process_news *news, struct ward_error *err);
void wl_process_news_close(struct wl_process_news *news);

/* Look at what has come. */
void wl_process_news_look(struct wl_process_news *news);

/*
 * The process of the next news: the same one as often as there are some of it. 0: some were lost, so it may be any;
 * -1: there are no more.
 */
pid_t wl_process_news_next(struct wl_process_news *news);

#endif
