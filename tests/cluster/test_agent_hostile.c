/* SPDX-License-Identifier: Apache-2.0 */
/* Who would misuse an agent: a link that was taken over, a stranger, a coordinator beyond its policy. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_test.h"

/* Whatever a link could send: nothing is attached, and each has its reason. */
Test(agent, hostile_link, .init = begin, .fini = end)
{
	size_t n;

	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&mallory);
	uint8_t *bytes = made_bytes(&order, &alice, &n);
	for (size_t i = 0; i < n; i += 7) {
		bytes[i] ^= 0x10;
		link_send(bytes, n);
		bytes[i] ^= 0x10;
	}
	free(bytes);
	order.order.cluster = made_text("other");
	order_send(&alice);
	wait_until(is_refused, "for another cluster");
	cr_expect(strstr(said.reason, "C-43"), "%s", said.reason);

	order_make();
	order.order.issued_at -= 7200 * SECOND;
	order.order.not_after_at = order.order.issued_at + 3600 * SECOND;
	order_send(&alice);
	wait_until(is_refused, "too old");
	cr_expect(strstr(said.reason, "C-44"), "%s", said.reason);

	order_make();
	order.units[0].sites[0] = made_text("libcrypto.so.3!*");
	order_send(&alice);
	wait_until(is_refused, "a site that isn't allowed");
	cr_expect(strstr(said.reason, "C-51"), "%s", said.reason);

	order_make(); /* a module whose coordinator's verifier was bypassed */
	ProtobufCBinaryData module = MODULE("count");
	struct ward_verdict *v = ward_verify(module.data, module.len, NULL);
	cr_assert(v && v->accepted);
	module.data[v->module.text.offset + (v->module.entries[0].addr - v->module.text.addr)] = 0xf4;
	ward_verdict_free(v);
	order.units[0].variants[0].module = module;
	order_send(&alice);
	wait_until(is_refused, "a module with a violation");
	cr_expect(strstr(said.reason, "C-60") && strstr(said.reason, "V-"), "%s", said.reason);

	cr_expect_eq(audit_count("\"verdict\":\"accepted\"", ""), 0);
	cr_expect_geq(audit_count("C-42", "\"verdict\":\"refused\""), 1);
	cr_expect_eq(audit_count("C-43", "\"coordinator\":\"alice\""), 1);
	cr_expect_eq(audit_count("C-51", "libcrypto.so.3!*"), 1);
	expect_clean(&counters[0]);

	/* what a coordinator says to combiners is nothing that a machine takes */
	Ward__Cluster__Work work = WARD__CLUSTER__WORK__INIT;
	work.query = order.order.query;
	work.cluster = made_text("test");
	work.counter = UINT64_MAX;
	work.period_ns = SECOND;
	work.shards = 2;
	bytes = cluster_sign(&alice, WARD__CLUSTER__SIGNED__KIND__WORK, &work.base, &n);
	uint64_t until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	while (!audit_count("it isn't for machines", "refused")) {
		cr_assert(clock_at(CLOCK_MONOTONIC) < until);
		link_send(bytes, n);
		usleep(100000);
	}
	free(bytes);

	/* packets that are none end the link's connection, and a link that comes anew goes on */
	cr_expect(send(link_channel.fd, "nonsense", 8, 0) == 8);
	struct channel_message m;
	until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	while (channel_take(&link_channel, &m) != CHANNEL_END)
		cr_assert(clock_at(CLOCK_MONOTONIC) < until, "the agent keeps a link that sends nonsense");
	channel_close(&link_channel);
	said.hellos = 0;
	link_connect();
	wait_until(has_hello, "hello, to the next link");

	/* replayed: an order that runs, and an old beat */
	order_make();
	order_send(&alice);
	expect_processes(1);
	order_send(&alice);
	counter_call(&counters[0], 3);
	expect_calls();
	until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	while (!audit_count("it was taken before, and runs here (C-47)", "refused"))
		cr_assert(clock_at(CLOCK_MONOTONIC) < until);
	cr_expect_eq(said.n, 1, "it runs twice");
}

/* Another user's connection isn't the link's. */
Test(agent, strangers, .init = begin, .fini = end)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char got;

	if (geteuid() != 0)
		cr_skip("there is one user only");
	up();
	chmod(folder, 0711);
	chmod(run, 0711);
	pid_t stranger = fork();
	if (stranger == 0) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		snprintf(at.sun_path, sizeof(at.sun_path), "%s/link", run);
		if (setuid(65534) != 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
			_exit(2);
		_exit(recv(fd, &got, 1, 0) != 0); /* settings would come, but the end does */
	}
	int status;
	cr_expect(waitpid(stranger, &status, 0) == stranger && status == 0, "0x%x", status);
	said.hellos = 0; /* and the link's goes on */
	link_connect();
	wait_until(has_hello, "hello");
}

/* The agent has no socket of the network, only those of AF_UNIX. */
Test(agent, no_network, .init = begin, .fini = end)
{
	static char unix_sockets[1 << 20];
	char path[64], entry[PATH_MAX], target[256];
	struct dirent *d;
	size_t sockets = 0;

	up();
	int fd = open("/proc/net/unix", O_RDONLY);
	size_t n = 0;
	for (ssize_t got;
		n < sizeof(unix_sockets) - 1 && (got = read(fd, unix_sockets + n, sizeof(unix_sockets) - 1 - n)) > 0;)
		n += (size_t)got;
	close(fd);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)agent);
	DIR *fds = opendir(path);
	while (fds && (d = readdir(fds))) {
		unsigned long inode;
		char text[32];
		snprintf(entry, sizeof(entry), "%s/%s", path, d->d_name);
		ssize_t length = readlink(entry, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = 0;
		if (sscanf(target, "socket:[%lu]", &inode) != 1)
			continue;
		sockets++;
		snprintf(text, sizeof(text), " %lu", inode);
		cr_expect(strstr(unix_sockets, text), "%s of the agent is no socket of AF_UNIX", d->d_name);
	}
	closedir(fds);
	cr_expect_geq(sockets, 2);
}
