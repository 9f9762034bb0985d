/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the guest's tests share. A test is a function that runs in a process of its own, which ends at the first
 * failed condition.
 */
#ifndef WARD_TESTS_KERNEL_SUITE_H
#define WARD_TESTS_KERNEL_SUITE_H

#include "ward/ward.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define CHECK(condition, ...) \
	do { \
		if (!(condition)) { \
			printf("  %s:%d: %s: ", __FILE__, __LINE__, #condition); \
			printf(__VA_ARGS__); \
			printf("\n"); \
			_exit(1); \
		} \
	} while (0)

struct module {
	uint8_t *data;
	size_t size;
};

/* The module of that name in the folder of probes; it lives as long as the program. */
struct module module_named(const char *name);

/* Attach to the kernel; it must succeed. site: NULL for the module's own. */
ward_session *attached(const char *module, const char *site);

/* The same, with a function that is told of each site. */
ward_session *attached_with(const char *module, const char *site, ward_site_fn *fn, void *user);

/* Attaching must fail with that status and a reason that holds the words. */
void refused(const char *module, const char *site, int status, const char *words);

/* The sum of a field; how much a histogram has counted; the value of a key of a map field, 0 without such an entry. */
uint64_t field_value(ward_session *s, const char *module, const char *field);
uint64_t field_count(ward_session *s, const char *module, const char *field);
uint64_t map_value(ward_session *s, const char *module, const char *field, uint64_t key);

/* Call getppid so often, by itself, as the kernel has a function of its own for it. */
void call_getppid(unsigned n);
extern const char getppid_site[];

/* The module of tests/kernel/module: load it; unload it, or say why not; write to one of its parameters. */
void load_points(void);
int unload_points(void);
void do_points(const char *what, const char *times);

/*
 * Run `ward` with arguments up to a NULL, and call getppid in another process meanwhile, whose id *counted gets. What
 * it prints goes to `text`. Returns its wait status.
 */
int run_ward(char *text, size_t size, pid_t *counted, char *const argv[]);
extern const char *probes, *ward; /* the folder of modules, the command */

void test_flags(void);
void test_tools(void);
void test_words(void);
void test_passes(void);
void test_enterings(void);
void test_nested(void);
void test_nmi(void);
void test_slowly(void);
void test_list(void);
void test_list_all(void);
void test_list_held(void);
void test_list_untold(void);
void test_names(void);
void test_list_command(void);
void test_returns(void);
void test_open_calls(void);
void test_left_open(void);
void test_many_returns(void);
void test_returns_refused(void);
void test_wrapped_words(void);
void test_wrapped_all_words(void);
void test_wrapped_together(void);
void test_wrapped_shapes(void);
void test_wrapped_deep(void);
void test_wrapped_sleep(void);
void test_wrapped_trace(void);
void test_wrapped_left_open(void);
void test_wrapped_under_load(void);
void test_leads_orders(void);
void test_leads_one_session(void);
void test_leads_some(void);
void test_leads_wrapped(void);
void test_leads_under_load(void);
void test_leads_held(void);
void test_often(void);
void test_often_stacks(void);
void test_often_killed(void);
void test_hotplug(void);
void test_wrapped_never(void);
void test_points(void);
void test_module_points(void);
void test_all_points(void);
void test_points_under_load(void);
void test_points_killed(void);
void test_points_nested(void);
void test_points_refused(void);
void test_calls(void);
void test_calls_32(void);
void test_calls_all(void);
void test_calls_refused(void);
void test_shell(void);
void test_shell_command(void);
void test_typed(void);
void test_current(void);
void test_examples(void);
void test_looped(void);
void test_loop_types(void);
void test_loop_example(void);
void test_own_writes(void);
void test_joined(void);
void test_joined_command(void);
void test_joined_on_disk(void);
void test_joined_killed(void);
void test_joined_refused(void);
void test_device(void);
void test_load(void);
void test_attach(void);
void test_attach_point(void);
void test_attach_call(void);
void test_mapping(void);
void test_privilege(void);
void test_exits(void);
void test_exits_refused(void);
void test_exits_plain(void);
void test_crossed(void);
void test_crossed_apart(void);
void test_crossed_examples(void);
void test_crossed_disk(void);
void test_keys(void);
void test_keys_command(void);
void test_samples(void);
void test_sample_interval(void);
void test_sample_hotplug(void);
void test_sample_faults(void);
void test_sample_no_counter(void);
void test_samples_under_load(void);
void test_samples_killed(void);
void test_samples_held_back(void);
void test_sample_nmi(void);
void test_samples_refused(void);
void test_samples_device(void);
void test_stacks(void);
void test_stacks_wrapped(void);
void test_stacks_held(void);
void test_stacks_points(void);
void test_stacks_interrupt(void);
void test_stacks_sleeper(void);
void test_stacks_cut(void);
void test_stacks_many(void);
void test_stacks_user(void);
void test_stacks_user_gone(void);
void test_stacks_user_wild(void);
void test_stacks_user_unframed(void);
void test_stacks_user_later(void);
void test_stacks_tables(void);
void test_stacks_command(void);
void test_stacks_both_command(void);

#endif
