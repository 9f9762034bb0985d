/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up files about the kernel's functions: lists that are cut, have malformed lines, or are wrong. */
#include "helper.h"

#include "loader/base/error.h"
#include "loader/kernel/symbols.h"

#include <stdlib.h>
#include <string.h>

static const char all[] = "ffffffff81000000 T _stext\n"
			  "ffffffff81000010 T vfs_read\n"
			  "ffffffff81000010 W vfs_alias\n"
			  "ffffffff81000100 t twice\n"
			  "ffffffff81000200 t twice\n"
			  "ffffffff81000300 T __noinstr_text_start\n"
			  "ffffffff81000300 T quiet\n"
			  "ffffffff81000400 T __noinstr_text_end\n"
			  "ffffffff81000400 T bare\n"
			  "ffffffff81000500 D no_function\n"
			  "ffffffff81001000 T _etext\n"
			  "ffffffff82000000 T _sinittext\n"
			  "ffffffff82000010 t at_start\n"
			  "ffffffff82001000 T _einittext\n"
			  "ffffffffc0000000 t ext4_iget\t[ext4]\n"
			  "ffffffffc0000100 t ward_ioctl\t[ward]\n"
			  "ffffffffc0000200 t bpf_prog_1\t[bpf]\n";
static const char traceable[] = "vfs_read\ntwice\next4_iget [ext4]\nward_ioctl [ward]\n__ftrace_invalid_address___64\n";

/* Read and judged, into *k. */
static int judged(struct wl_ksyms *k, const char *symbols, const char *can, const char *on)
{
	char *c = can ? strdup(can) : NULL, *o = on ? strdup(on) : NULL;
	struct ward_error err = {0};
	int rc = wl_ksyms_parse(strdup(symbols), NULL, k, &err);

	if (rc == 0)
		cr_assert(wl_ksyms_judge(k, c, o));
	else
		cr_expect_eq(rc, err.status);
	free(c);
	free(o);
	return rc;
}

static const struct wl_ksym *named(const struct wl_ksyms *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(k->v[i].name, name) == 0)
			return &k->v[i];
	cr_assert_fail("%s is missing", name);
	return NULL;
}

static void expect_reason(const struct wl_ksyms *k, const char *name, const char *words)
{
	const struct wl_ksym *sym = named(k, name);

	if (words)
		cr_expect(sym->reason && strstr(sym->reason, words), "%s: %s", name,
			sym->reason ? sym->reason : "no reason");
	else
		cr_expect_null(sym->reason, "%s", name);
}

Test(kernel, reasons)
{
	struct wl_ksyms k;

	cr_assert_eq(judged(&k, all, traceable, ""), 0);
	cr_expect(k.checked);
	expect_reason(&k, "vfs_read", NULL);
	expect_reason(&k, "vfs_alias", NULL);
	expect_reason(&k, "twice", "several functions");
	expect_reason(&k, "quiet", "noinstr");
	expect_reason(&k, "bare", "without a place");
	expect_reason(&k, "at_start", "while the kernel started");
	expect_reason(&k, "ext4_iget", NULL);
	expect_reason(&k, "ward_ioctl", "runs the probes");
	expect_reason(&k, "bpf_prog_1", "BPF");
	for (size_t i = 0; i < k.n; i++)
		cr_expect(!k.v[i].held && k.v[i].several == (strcmp(k.v[i].name, "twice") == 0), "%s", k.v[i].name);
	wl_ksyms_free(&k);
}

Test(kernel, held)
{
	struct wl_ksyms k;

	cr_assert_eq(
		judged(&k, all, traceable,
			"vfs_read (2) R   D\ttramp: 0xffffffffc0000000 (direct_ops) "
			"->x\n\tdirect-->stub+0x0/0x10\ntwice (1)  I \next4_iget [ext4] (1)    \ttramp: 0x1 (IDID)\n"),
		0);
	cr_expect(named(&k, "vfs_read")->held && named(&k, "vfs_alias")->held, "by either name");
	cr_expect_not(named(&k, "twice")->held, "of two one, nobody knows which");
	cr_expect_not(named(&k, "ext4_iget")->held, "traced, but by no direct call");
	cr_expect(!named(&k, "vfs_read")->ours && !named(&k, "ext4_iget")->ours, "by others");
	wl_ksyms_free(&k);
	cr_assert_eq(judged(&k, all, traceable,
			     "\tdirect-->ward_arena+0x0/0x100000 [ward_arena]\nvfs_read (2)     "
			     "D\n\tdirect-->ward_arena+0x1c0/0x100000 [ward_arena]\next4_iget [ext4] (1)   "
			     "D\n\tdirect-->x\n"),
		0);
	cr_expect(named(&k, "vfs_read")->held && named(&k, "vfs_read")->ours && named(&k, "vfs_alias")->ours,
		"by us, by either name");
	cr_expect(named(&k, "ext4_iget")->held && !named(&k, "ext4_iget")->ours, "by others");
	wl_ksyms_free(&k);
}

Test(kernel, untold)
{
	struct wl_ksyms k;

	cr_assert_eq(judged(&k, all, NULL, NULL), 0);
	cr_expect_not(k.checked);
	expect_reason(&k, "vfs_read", NULL);
	expect_reason(&k, "ward_ioctl", "runs the probes");
	cr_expect(named(&k, "twice")->several && !named(&k, "vfs_read")->several, "the names tell that");
	wl_ksyms_free(&k);
	cr_assert_eq(judged(&k, all, "", ""), 0);
	cr_expect_not(k.checked, "a list of nothing");
	wl_ksyms_free(&k);
	cr_expect_eq(judged(&k, "", traceable, ""), WARD_E_TARGET);
	cr_expect_eq(
		judged(&k, "0000000000000000 T vfs_read\n0000000000000000 t x\t[y]\n", traceable, ""), WARD_E_TARGET);
	cr_expect_eq(
		judged(&k, "\n\n \nvfs_read\n T \nffffffff81000010\nffffffff81000010 T\nffffffff81000010 Tvfs_read\n",
			traceable, ""),
		WARD_E_TARGET);
}

static const char *name_at(const struct wl_ksyms *k, uint64_t addr, char *text, size_t size)
{
	return wl_kname_find(k, addr, text, size) ? text : "";
}

Test(kernel, names)
{
	struct wl_ksyms k;
	char text[64];

	cr_assert_eq(judged(&k, all, NULL, NULL), 0);
	cr_expect_str_eq(name_at(&k, 0xffffffff81000010, text, sizeof(text)), "vfs_read");
	cr_expect_str_eq(name_at(&k, 0xffffffff8100001f, text, sizeof(text)), "vfs_read+0xf");
	cr_expect_str_eq(name_at(&k, 0xffffffff81000301, text, sizeof(text)), "quiet+0x1");
	cr_expect_str_eq(name_at(&k, 0xffffffffc0000004, text, sizeof(text)), "ext4_iget+0x4 [ext4]");
	cr_expect_str_eq(
		name_at(&k, 0xffffffffc0000004, text, 24), "ext4_+0x4 [ext4]", "the end of the name goes first");
	cr_expect_str_eq(name_at(&k, 0xffffffffc0000200 + 0x20000, text, sizeof(text)), "",
		"far behind a module's last function");
	cr_expect_str_eq(name_at(&k, 0xffffffff82000010, text, sizeof(text)), "", "gone since the start");
	cr_expect_str_eq(name_at(&k, 0xffffffff81001000, text, sizeof(text)), "", "the end of the text");
	cr_expect_str_eq(name_at(&k, 0xffffffff80ffffff, text, sizeof(text)), "", "before all");
	cr_expect_str_eq(name_at(&k, 0, text, sizeof(text)), "");
	wl_ksyms_free(&k);
	cr_assert_eq(judged(&k, "1 t a\n", NULL, NULL), 0);
	cr_expect_str_eq(name_at(&k, 1, text, sizeof(text)), "", "nobody says where the text ends");
	wl_ksyms_free(&k);
}

/* ---- Tracepoints ---- */

static const char events[] = "sched:sched_switch\n"
			     "ext4:ext4_sync\n"
			     "sched:sched_switch\n"
			     "syscalls:sys_enter_read\n"
			     "made:sched_switch\n"
			     "synthetic:slow\n"
			     "user_events:mine\n"
			     "odd:no_point\n"
			     "two:same\n"
			     "nocolon\n:event\nsystem:\na:b:c\n\nwith space:x\na/b:c\n\001:x\n\377:y\n";
static const char dynamic[] = "p:made/sched_switch vfs_read\ns:synthetic/slow\tu64 ns\nu:mine u32 a\nbad\n:\n";
static const char traced[] = "ffffffff81000000 T __traceiter_sched_switch\n"
			     "ffffffff81000008 t __pfx___traceiter_no_point\n"
			     "ffffffff81000010 T __traceiter_\n"
			     "ffffffffc0000000 t __traceiter_ext4_sync\t[ext4]\n"
			     "ffffffffc0000010 t __traceiter_same\t[one]\n"
			     "ffffffffc0000020 t __traceiter_same\t[two]\n";

/* Judged, into *k. What isn't told is NULL. */
static void judged_events(struct wl_ksyms *k, const char *glob, const char *list, const char *made, const char *symbols)
{
	char *m = made ? strdup(made) : NULL, *s = symbols ? strdup(symbols) : NULL;

	*k = (struct wl_ksyms){.text = strdup(list), .modules = s};
	cr_assert(wl_kevents_judge(k, glob, k->text, m, s));
	free(m);
}

Test(kernel, events)
{
	static const char *const in_order[] = {"ext4:ext4_sync", "made:sched_switch", "odd:no_point",
		"sched:sched_switch", "synthetic:slow", "syscalls:sys_enter_read", "two:same", "user_events:mine"};
	struct wl_ksyms k;

	judged_events(&k, "*:*", events, dynamic, traced);
	cr_assert_eq(k.n, sizeof(in_order) / sizeof(in_order[0]));
	for (size_t i = 0; i < k.n; i++)
		cr_expect_str_eq(k.v[i].name, in_order[i]);
	expect_reason(&k, "sched:sched_switch", NULL);
	expect_reason(&k, "ext4:ext4_sync", NULL);
	cr_expect_eq(named(&k, "syscalls:sys_enter_read")->call, WL_KCALL_ENTER);
	expect_reason(&k, "syscalls:sys_enter_read", NULL);
	expect_reason(&k, "made:sched_switch", "made at run time");
	expect_reason(&k, "synthetic:slow", "made at run time");
	expect_reason(&k, "user_events:mine", "made at run time");
	expect_reason(&k, "odd:no_point", "only an event");
	expect_reason(&k, "two:same", "several tracepoints");
	cr_expect_str_eq(named(&k, "ext4:ext4_sync")->module, "ext4");
	cr_expect_str_eq(named(&k, "sched:sched_switch")->module, "");
	cr_expect_str_eq(named(&k, "synthetic:slow")->module, "");
	wl_ksyms_free(&k);
	judged_events(&k, "s*:*_s*", events, dynamic, traced);
	cr_expect(k.n == 1 && strcmp(k.v[0].name, "sched:sched_switch") == 0);
	wl_ksyms_free(&k);
	judged_events(&k, "*:nothing", events, dynamic, traced);
	cr_expect_eq(k.n, 0);
	wl_ksyms_free(&k);
}

/* ---- System calls ---- */

static const char call_events[] =
	"syscalls:sys_enter_read\nsyscalls:sys_exit_read\nsyscalls:sys_enter_gone\nsyscalls:sys_enter_quiet\nsyscalls:"
	"sys_enter_\nsyscalls:sys_enter_mine\nraw_syscalls:sys_enter\n";
static const char call_functions[] =
	"ffffffff81000010 t __ia32_sys_read\nffffffff81000020 T __x64_sys_read\nffffffff81000030 t "
	"__x64_sys_\nffffffff81000040 T __x64_sys_quiet\nffffffffc0000000 t __x64_sys_gone\t[mod]\n";

Test(kernel, calls)
{
	struct wl_ksyms k, functions;

	judged_events(&k, "*:*", call_events, "p:syscalls/sys_enter_mine __x64_sys_read\n", traced);
	cr_assert_eq(judged(&functions, call_functions, "__x64_sys_read\n", "__x64_sys_read (1) R D\n"), 0);
	wl_kcalls_find(&k, &functions);
	wl_ksyms_free(&functions);
	cr_expect_eq(named(&k, "syscalls:sys_enter_read")->call, WL_KCALL_ENTER);
	cr_expect_eq(named(&k, "syscalls:sys_exit_read")->call, WL_KCALL_EXIT);
	cr_expect_eq(named(&k, "syscalls:sys_enter_")->call, WL_KCALL_NONE);
	cr_expect_eq(named(&k, "raw_syscalls:sys_enter")->call, WL_KCALL_NONE);
	cr_expect_eq(named(&k, "syscalls:sys_enter_read")->addr, 0xffffffff81000020);
	cr_expect_eq(named(&k, "syscalls:sys_exit_read")->addr, 0xffffffff81000020);
	expect_reason(&k, "syscalls:sys_enter_read", NULL);
	expect_reason(&k, "syscalls:sys_exit_read", NULL);
	expect_reason(&k, "syscalls:sys_enter_quiet", "built without a place for it");
	expect_reason(&k, "syscalls:sys_enter_gone", "no function of this system call");
	expect_reason(&k, "syscalls:sys_enter_mine", "made at run time");
	expect_reason(&k, "syscalls:sys_enter_", "only an event");
	wl_kcalls_find(&k, NULL);
	expect_reason(&k, "syscalls:sys_exit_read", "doesn't show the addresses");
	expect_reason(&k, "syscalls:sys_enter_mine", "made at run time");
	wl_ksyms_free(&k);
}

static const char format[] =
	"name: sys_enter_execve\nID: 776\nformat:\n\tfield:unsigned short "
	"common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:const char * "
	"filename;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char *const * argv;\toffset:24;\tsize:8;\tsigned:0;\n\nprint fmt: \"filename: 0x%08lx\"\n";

static void expect_format(const char *of, const char *text)
{
	char *in = strdup(of), *is = wl_kcall_format(in);

	cr_expect(text ? is && strcmp(is, text) == 0 : !is, "%s", is ? is : "none");
	free(in);
	free(is);
}

Test(kernel, call_arguments)
{
	static char many[4000];
	char *cut = strstr(format, "\tfield:const");

	expect_format(format, "const char *filename, const char *const *argv");
	expect_format("\tfield:int __syscall_nr;\toffset:8;\n", "void");
	expect_format("\tfield:int __syscall_nr;\n\tfield:unsigned int fd;\n", "unsigned int fd");
	expect_format("\tfield:int __syscall_nr;\n\tfield:const char * name;\n\tfield:__data_loc char[] __name_val;\n",
		"const char *name");
	expect_format(cut, NULL);
	expect_format("", NULL);
	expect_format("\tfield:int __syscall_nr;\n\tfield:nothing;\n", NULL);
	expect_format("\tfield:int __syscall_nr;\n\tfield:int a\033[2J;\n", NULL);
	strcpy(many, "\tfield:int __syscall_nr;\n");
	for (int i = 0; i < 85; i++)
		strcat(many, "\tfield:int abcdefg;\n");
	expect_format(many, NULL);
	many[strlen(many) - 10 * strlen("\tfield:int abcdefg;\n")] = 0;
	{
		char *is = wl_kcall_format(many);

		cr_expect(is && strlen(is) == 75 * 13 - 2, "%s", is ? is : "none");
		free(is);
	}
}

/* Where the kernel doesn't tell, nothing is said against an event that another place may know better. */
Test(kernel, events_untold)
{
	static char longest[400];
	struct wl_ksyms k;

	judged_events(&k, "*:*", events, NULL, NULL);
	expect_reason(&k, "odd:no_point", NULL);
	expect_reason(&k, "made:sched_switch", NULL);
	cr_expect_eq(named(&k, "syscalls:sys_enter_read")->call, WL_KCALL_ENTER);
	expect_reason(&k, "syscalls:sys_enter_read", NULL);
	wl_ksyms_free(&k);
	judged_events(&k, "*:*", "", dynamic, traced);
	cr_expect_eq(k.n, 0);
	wl_ksyms_free(&k);
	judged_events(&k, "*:*", "odd:no_point", "", "ffffffff81000000 T vfs_read\n");
	expect_reason(&k, "odd:no_point", NULL);
	wl_ksyms_free(&k);
	memset(longest, 'a', sizeof(longest) - 1);
	longest[1] = ':';
	judged_events(&k, "*:*", longest, NULL, NULL);
	cr_expect_eq(k.n, 0, "longer than any name");
	wl_ksyms_free(&k);
	longest[200] = 0;
	judged_events(&k, "*:*", longest, NULL, NULL);
	expect_reason(&k, longest, "only an event");
	wl_ksyms_free(&k);
}

/* A small generator: the same sequence on every machine. */
static uint64_t state = 88172645463325252ull;
static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Bytes changed, and the end cut off: whatever comes of it is read without harm, and is in order. */
static char *mutant(const char *text)
{
	char *m = strdup(text);
	size_t n = strlen(m);

	for (uint64_t i = 0; i < 1 + rnd() % 8; i++)
		m[rnd() % n] = "\n\t []()0fT D\001\377A"[rnd() % 15];
	if (rnd() % 2)
		m[rnd() % n] = 0;
	return m;
}

Test(kernel, mutants)
{
	static const char enabled[] = "vfs_read (2) R I D\ttramp: 0xffffffffc0000000 (x) "
				      "->y\n\tdirect-->stub+0x0/0x10\next4_iget [ext4] (1)    \n";

	for (int i = 0; i < 20000; i++) {
		char *symbols = mutant(all), *can = mutant(traceable), *on = mutant(enabled), text[32];
		struct wl_ksyms k;

		if (judged(&k, symbols, can, on) == 0) {
			for (size_t j = 0; j < k.n; j++) {
				size_t size = 1 + rnd() % sizeof(text);

				cr_assert(j == 0 || k.v[j - 1].addr <= k.v[j].addr);
				cr_assert(*k.v[j].name && k.v[j].addr);
				if (wl_kname_find(&k, k.v[j].addr + rnd() % 64, text, size))
					cr_assert(strlen(text) < size);
			}
			wl_ksyms_free(&k);
		}
		free(symbols);
		free(can);
		free(on);
	}
}

Test(kernel, call_mutants)
{
	for (int i = 0; i < 20000; i++) {
		char *list = mutant(call_events), *symbols = mutant(call_functions), *text = mutant(format),
		     *arguments = wl_kcall_format(text);
		struct wl_ksyms k, functions;

		for (const char *c = arguments; c && *c; c++)
			cr_assert(*c >= ' ' && *c <= '~');
		judged_events(&k, "*:*", list, NULL, NULL);
		if (judged(&functions, symbols, call_functions, NULL) == 0) {
			wl_kcalls_find(&k, &functions);
			wl_ksyms_free(&functions);
		}
		for (size_t j = 0; j < k.n; j++)
			cr_assert(k.v[j].call || !k.v[j].addr);
		wl_ksyms_free(&k);
		free(list);
		free(symbols);
		free(arguments);
		free(text);
	}
}

Test(kernel, event_mutants)
{
	for (int i = 0; i < 20000; i++) {
		char *list = mutant(events), *made = mutant(dynamic), *symbols = mutant(traced);
		struct wl_ksyms k;

		judged_events(&k, i % 2 ? "*:*" : "s*:*[a-m]*", list, made, symbols);
		for (size_t j = 0; j < k.n; j++) {
			const char *colon = strchr(k.v[j].name, ':');

			cr_assert(colon && colon[1] && colon != k.v[j].name && !strpbrk(k.v[j].name, " \n/\001\377"),
				"%s", k.v[j].name);
			cr_assert(j == 0 || strcmp(k.v[j - 1].name, k.v[j].name) < 0);
		}
		wl_ksyms_free(&k);
		free(list);
		free(made);
		free(symbols);
	}
}
