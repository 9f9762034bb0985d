/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions with the kernel module through its device, for functions whose types the loader doesn't know. The probes
 * are machine code made here: they add the event's words to a state, and change every register that they may.
 */
#ifndef WARD_TESTS_KERNEL_MACHINE_H
#define WARD_TESTS_KERNEL_MACHINE_H

#include "ward_ioctl.h"

#include <stdint.h>

/* Words of the event behind the arguments. */
enum { RET = 6, CALLER, TID, CPU, TIME, ELAPSED, SITE, SP, WORDS };
enum { MOST = 40 };

/* What a probe leaves: how often it has run, and the sums. */
struct sums {
	uint64_t runs, word[WORDS];
};

struct machine {
	int fd;
	struct ward_k_load l;
	struct ward_k_entry entry[MOST];
	uint8_t *map;
	uint32_t sites; /* so far */
};

/* A session with these probes, each of which reads fields[i]. */
struct machine machine_of(const uint32_t *fields, unsigned n);

/* The same; 0 or errno. */
int make_machine(struct machine *m, const uint32_t *fields, unsigned n);

struct sums sums_of(const struct machine *m, unsigned entry);
uint64_t dropped(const struct machine *m);

/* How it is hooked; 0 with errno. */
uint32_t hook(struct machine *m, unsigned entry, const uint64_t *sites, uint32_t n, uint32_t where);

void detach(const struct machine *m);
void close_machine(struct machine *m);

uint64_t address_of(const char *function);

/*
 * Load the module of the tests, and find its functions ward_word_00 and so on: the addresses of EACH_SET's, in its
 * order.
 */
enum { SETS = 16 };
extern const char *const word_function[SETS];
void find_word_functions(uint64_t function[SETS]);

/* In ascending order, as hooks want them. */
void sort_sites(uint64_t *sites, unsigned n);

#endif
