/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verified probes that run in this process, for samples of another one: the image mapped here, the call of an entry,
 * and the functions in the slots of its imports. run.c describes how they keep what spec/ward/import.def promises.
 */
#ifndef WARD_LOADER_SAMPLE_RUN_H
#define WARD_LOADER_SAMPLE_RUN_H

/* Bytes of the stack on which probes run; for assembly, too. */
#define WL_RUN_STACK (1 << 18)

#ifndef __ASSEMBLER__

#include "loader/base/image.h"

#include <sys/types.h>

/* What imports tell of the sample that a probe runs for. Its owner fills it in before each run. */
struct wl_sampled {
	pid_t pid; /* whose memory is read */
	/* as ward_clock and ward_stack_take (spec/ward/import.def) */
	uint64_t (*clock)(const struct wl_sampled *sampled, unsigned clock);
	uint64_t (*stack)(const struct wl_sampled *sampled, uint64_t frames);
};

/* An image that is mapped in this process. */
struct wl_running {
	const struct ward_image *image;
	uint8_t *base; /* of the reservation; NULL: nothing is mapped */
	uint64_t size;
	uint8_t *stack; /* WL_RUN_STACK bytes, for one call at a time */
};

/*
 * Map it; its data is that part of the file, and has the values that it has there. Returns 0 or an error. The image
 * must live as long.
 */
int wl_running_map(struct wl_running *r, const struct ward_image *image, int data_fd, uint64_t data_offset,
	struct ward_error *err);
void wl_running_unmap(struct wl_running *r);

/*
 * Run an entry for an event (WL_EVENT_WORDS words, stub.h). `state` is at a multiple of 64, and nobody else writes
 * there meanwhile. One thread at a time may run entries of an image.
 */
void wl_running_call(const struct wl_running *r, const struct ward_entry_facts *entry, const struct wl_sampled *sampled,
	const uint64_t *event, void *state);

#endif
#endif
