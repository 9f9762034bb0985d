/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's process connector: a netlink socket on which it says each fork, exec and exit. That isn't to be relied
 * upon, as messages are lost when there are too many, and it can't be had in each container: /proc is read all the
 * same (targets.c), and this says only when that is worth while.
 */
#include "watch.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PACKET = 4096 };

/* Netlink's head, the connector's, and the one word that is asked for. */
static bool listen_ask(int fd)
{
	const enum proc_cn_mcast_op wish = PROC_CN_MCAST_LISTEN;
	const struct cn_msg connector = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof(wish)};
	unsigned char m[NLMSG_LENGTH(sizeof(connector) + sizeof(wish))] = {0};
	const struct nlmsghdr netlink = {.nlmsg_len = sizeof(m), .nlmsg_type = NLMSG_DONE};

	memcpy(m, &netlink, sizeof(netlink));
	memcpy(m + NLMSG_HDRLEN, &connector, sizeof(connector));
	memcpy(m + NLMSG_HDRLEN + sizeof(connector), &wish, sizeof(wish));
	return send(fd, m, sizeof(m), 0) == (ssize_t)sizeof(m);
}

int agent_watch_open(void)
{
	struct sockaddr_nl group = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&group, sizeof(group)) == 0 && listen_ask(fd))
		return fd;
	int why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	return -1;
}

/* Of one packet, which the kernel must have sent: the process that has executed a program, or 0. */
static pid_t packet_read(const unsigned char *packet, size_t n)
{
	struct nlmsghdr netlink;
	struct cn_msg connector;
	struct proc_event event = {0};
	size_t head = NLMSG_HDRLEN + sizeof(connector);

	if (n < head + offsetof(struct proc_event, event_data) + sizeof(event.event_data.exec))
		return 0;
	memcpy(&netlink, packet, sizeof(netlink));
	memcpy(&connector, packet + NLMSG_HDRLEN, sizeof(connector));
	memcpy(&event, packet + head, n - head < sizeof(event) ? n - head : sizeof(event));
	if (netlink.nlmsg_type != NLMSG_DONE || connector.id.idx != CN_IDX_PROC || event.what != PROC_EVENT_EXEC)
		return 0;
	return event.event_data.exec.process_tgid;
}

pid_t agent_watch_next(int fd)
{
	unsigned char packet[PACKET];

	for (;;) {
		struct sockaddr_nl from = {0};
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(fd, packet, sizeof(packet), MSG_DONTWAIT, (struct sockaddr *)&from, &size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == ENOBUFS ? -1 : 0;
		pid_t pid = from.nl_pid == 0 ? packet_read(packet, (size_t)n) : 0;
		if (pid > 0)
			return pid;
	}
}
