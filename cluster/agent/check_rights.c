/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker needs of the kernel, tried out on a process of its own: to hold a process, to have code in memory, to
 * sample processors. A container, a sandbox or a setting of the kernel may forbid each of them, even to root.
 */
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "watch.h"

#include "cluster/guard/sampler.h"

static bool capability_has(int capability)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	return syscall(SYS_capget, &head, data) == 0 && (data[capability / 32].effective & 1u << capability % 32);
}

/* A process of one's own may always be held, but where a setting or a sandbox forbids it to everybody. */
static void ptrace_check(struct agent_check *c)
{
	pid_t child = fork();

	if (child < 0)
		return;
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	if (ptrace(PTRACE_SEIZE, child, 0, 0) != 0)
		agent_check_fault(c, WARD_E_TARGET, "machine",
			"kernel.yama.ptrace_scope = 3, or a container's or unit's SystemCallFilter forbids ptrace",
			"no process can be attached to: %s", strerror(errno));
	else if (!capability_has(CAP_SYS_PTRACE))
		agent_check_fault(c, WARD_E_TARGET, "agent",
			"run it as root; its unit must not take CAP_SYS_PTRACE away",
			"it can probe processes of this user only");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A probe's code is a file in memory, which the process maps. */
static void code_check(struct agent_check *c)
{
	int fd = memfd_create("ward-check", MFD_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		agent_check_fault(c, WARD_E_TARGET, "machine",
			"does a security module forbid it, or a unit's MemoryDenyWriteExecute?",
			"code in memory can't be mapped: %s", strerror(errno));
	else
		munmap(map, 4096);
	if (fd >= 0)
		close(fd);
}

static void sampler_check(struct agent_check *c)
{
	struct cluster_sampler *s;

	if (cluster_sampler_open(&s) == 0)
		cluster_sampler_close(s);
	else if (errno == EACCES || errno == EPERM)
		agent_check_fault(c, WARD_E_TARGET, "machine", "the agent's unit must leave it CAP_PERFMON",
			"what probes cost can't be measured, so the limit of overhead doesn't hold: %s",
			strerror(errno));
	else
		agent_check_warn(c, "machine",
			"what probes cost can't be measured, so the limit of overhead doesn't hold: %s",
			strerror(errno));
}

static void watch_check(struct agent_check *c)
{
	int fd = agent_watch_open();

	if (fd >= 0)
		close(fd);
	else
		agent_check_warn(c, "machine",
			"the kernel doesn't tell of new processes (%s): they are looked for five times a second",
			strerror(errno));
}

/* Probes of the kernel are loaded by its module `ward`; their names need its symbols. */
static void kernel_check(struct agent_check *c)
{
	if (!capability_has(CAP_SYS_MODULE))
		agent_check_fault(c, WARD_E_TARGET, "kernel",
			"add CAP_SYS_MODULE to the unit's CapabilityBoundingSet, in a drop-in",
			"the agent may not load a kernel module (C-58)");
	if (access("/dev/ward", F_OK) != 0)
		agent_check_fault(c, WARD_E_TARGET, "kernel", "install ward-dkms, and run modprobe ward",
			"the kernel module `ward` isn't loaded (C-58)");
	if (!c->a->here.n_kernel)
		agent_check_warn(c, "kernel", "it has no build-id: only modules for every kernel are taken (C-59)");
}

void agent_check_rights(struct agent_check *c)
{
	ptrace_check(c);
	code_check(c);
	sampler_check(c);
	watch_check(c);
	if (c->a->config && c->a->config->kernel)
		kernel_check(c);
}
