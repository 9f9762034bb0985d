/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine is: its name, its labels, its kernel. */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/subject.h"

/* The build-id is a note of the kernel's: name and contents are padded to four bytes. */
static void kernel_read(struct agent_here *here)
{
	unsigned char notes[4096];
	FILE *f = fopen("/sys/kernel/notes", "rb");
	size_t n = f ? fread(notes, 1, sizeof(notes), f) : 0, at = 0;

	if (f)
		fclose(f);
	here->n_kernel = 0;
	while (n - at > sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		memcpy(&h, notes + at, sizeof(h));
		at += sizeof(h);
		size_t name = ((size_t)h.n_namesz + 3) / 4 * 4, size = ((size_t)h.n_descsz + 3) / 4 * 4;
		if (name > n - at || size > n - at - name)
			return;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0 &&
			h.n_descsz <= sizeof(here->kernel)) {
			memcpy(here->kernel, notes + at + name, h.n_descsz);
			here->n_kernel = h.n_descsz;
		}
		at += name + size;
	}
}

bool agent_here_read(struct agent *a, struct ward_error *err)
{
	char host[CLUSTER_NAME] = "";

	if (a->config->name)
		snprintf(host, sizeof(host), "%s", a->config->name);
	else if (gethostname(host, sizeof(host) - 1) != 0)
		return cluster_refuse(err, "machine", NULL, "it has no name");
	if (!cluster_name_from_host(host, a->name) || !cluster_name_to_host(a->name, a->host)) {
		cluster_refuse(err, "machine", "C-37", "\"%s\" is no name for the bus", host);
		cluster_hint(err, "name = NAME in section [machine] of agent.conf gives it another one");
		return false;
	}
	a->here.machine = (struct cluster_machine){
		.host = a->host, .labels = (const char *const *)a->config->labels.at, .n_labels = a->config->labels.n};
	kernel_read(&a->here);
	return true;
}
