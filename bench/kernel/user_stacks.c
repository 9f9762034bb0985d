/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the import that takes a process's stack executes, by the number of frames, compared with what the verifier
 * counts (spec/ward/import.def). It is the worst case: as many rows and places as there may be, in which each frame is
 * searched; rules that read three words for each frame; and each stack is a new one, which is put into the table. The
 * stack is made for that, and what describes it is handed to the session in place of libward's.
 */
#include "bench.h"

#include "kmod/ward_ioctl.h"
#include "loader/symbols/stack_owners.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CALLS = 500, FRAMES = 200 };

static const uint64_t CODE = UINT64_C(1) << 40;

/* cfa = *rbp, and the caller's rbp is below the return address. */
static const uint32_t RULE = WARD_K_RULE_RBP_DEREF | 2 << WARD_K_RULE_RBP_SHIFT;

/* rbp of a frame leads to its first word, the CFA is the address of the last one. */
struct frame {
	uint64_t cfa, rbp, back, end;
};

static struct frame stack[FRAMES];
static struct ward_k_place places[WARD_K_MAX_PLACES];

/* A call of getppid on that stack: it is at the address that *at gets. */
static void call_with(uint64_t sp, uint64_t bp, uint64_t *at)
{
	long result;
	uint64_t here;

	__asm__ volatile("mov %%rsp, %%r12\n\tmov %%rbp, %%r13\n\tlea 1f(%%rip), %1\n\tmov %3, %%rsp\n\t"
			 "mov %4, %%rbp\n\tsyscall\n1:\tmov %%r12, %%rsp\n\tmov %%r13, %%rbp"
		: "=a"(result), "=&b"(here)
		: "0"((long)SYS_getppid), "D"(sp), "S"(bp)
		: "rcx", "r11", "r12", "r13", "memory");
	*at = here;
}

static void make_stack(void)
{
	for (size_t i = 0; i < FRAMES; i++)
		stack[i] = (struct frame){.cfa = (uintptr_t)&stack[i].end,
			.rbp = (uintptr_t)&stack[i + 1 < FRAMES ? i + 1 : i],
			.back = CODE + i % 7 * 8192 + 100};
}

/* Each call's first frames are others, as a counter says. */
static uint64_t call_anew(uint64_t n)
{
	uint64_t at;

	stack[0].back = CODE + 1 + n % 4000;
	stack[1].back = CODE + 1 + n / 4000;
	call_with((uintptr_t)stack, (uintptr_t)stack, &at);
	return at;
}

static double calls(void)
{
	static uint64_t n;
	double took[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		double begin = instructions_now();

		for (int i = 0; i < CALLS; i++)
			call_anew(n++);
		took[r] = (instructions_now() - begin) / CALLS;
	}
	return middle_of(took);
}

/* The last one that was opened: the session's. */
static int session_device(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	int last = -1;

	while (dir && (e = readdir(dir))) {
		char path[300], to[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%s", e->d_name);
		if (readlink(path, to, sizeof(to) - 1) > 0 && strcmp(to, WARD_DEVICE) == 0)
			last = atoi(e->d_name) > last ? atoi(e->d_name) : last;
	}
	if (dir)
		closedir(dir);
	return last;
}

static uint32_t rows_hand(int device, const struct ward_k_row *v, uint32_t n)
{
	struct ward_k_rows r = {.size = sizeof(r), .n_rows = n, .rows = (uintptr_t)v};

	if (ioctl(device, WARD_K_ROWS, &r))
		fail("rows", strerror(errno));
	return r.file;
}

/* As much to be searched as there may be; the last place is this program's own code. */
static void hand_most(int device)
{
	struct ward_k_row *v = malloc(WARD_K_MAX_ROWS * sizeof(*v)), one = {0, RULE};
	struct ward_k_mapped m = {.size = sizeof(m), .n_places = WARD_K_MAX_PLACES, .places = (uintptr_t)places};
	uint64_t here = call_anew(0) & ~UINT64_C(4095), owner[2];

	if (!v || !wl_owner_read(getpid(), owner))
		fail("rows", "there is no memory");
	memcpy(m.owner, owner, sizeof(owner));
	for (uint32_t i = 0; i < WARD_K_MAX_ROWS; i++)
		v[i] = (struct ward_k_row){i * 2, RULE};
	for (uint32_t i = 0; i < WARD_K_MAX_PLACES; i++)
		places[i] = (struct ward_k_place){CODE + i * 8192, CODE + i * 8192 + 4096, 0, i * 1024};
	places[WARD_K_MAX_PLACES - 1] = (struct ward_k_place){here, here + 8192, 0, 0};
	places[0].file = rows_hand(device, v, WARD_K_MAX_ROWS);
	for (uint32_t i = 1; i < WARD_K_MAX_PLACES; i++)
		places[i].file = places[0].file;
	places[WARD_K_MAX_PLACES - 1].file = rows_hand(device, &one, 1);
	if (ioctl(device, WARD_K_MAPPED, &m))
		fail("places", strerror(errno));
	free(v);
}

static double calls_with(const char *folder, const char *probe, const char *setting)
{
	struct ward_attach_options options = {.size = sizeof(options),
		.site = "kernel!__x64_sys_getppid",
		.allow = imports,
		.n_allow = N_IMPORTS,
		.settings = &setting,
		.n_settings = setting ? 1 : 0};
	ward_session *session;
	struct ward_error err;
	char path[256];
	size_t size;
	double took;
	void *module;

	snprintf(path, sizeof(path), "%s/%s.ward", folder, probe);
	module = read_file(path, &size);
	if (ward_attach_kernel(module, size, &options, &session, &err))
		fail(err.what, err.why);
	if (setting)
		hand_most(session_device());
	took = calls();
	ward_session_free(session);
	free(module);
	return took;
}

void compare_user_stacks(const char *folder)
{
	static const unsigned frames[] = {1, 8, 32, 64, 127};
	uint64_t most = counted(folder, "userframes") - counted(folder, "empty");
	double bare;

	make_stack();
	bare = calls_with(folder, "empty", NULL);
	printf("\n%-24s%10s\n", "Frames of a process's", "executed");
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		char setting[32];
		double took;

		snprintf(setting, sizeof(setting), "frames=%u", frames[i]);
		took = calls_with(folder, "userframes", setting) - bare;
		printf("%-24u%10.1f\n", frames[i], took);
		if (took > (double)most)
			fail("userframes", "it executes more than the verifier counts");
	}
	printf("%-24s%10" PRIu64 "\n", "counted", most);
}
