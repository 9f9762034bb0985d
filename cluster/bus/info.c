/* SPDX-License-Identifier: Apache-2.0 */
/* What a server says of itself: a NATS server's first line, sent in the clear before TLS begins. */
#include "bus.h"

#include <errno.h>
#include <json-c/json.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cluster/base/error.h"

enum { MOST_LINE = 32 << 10 };

static int64_t info_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool info_wait(int fd, short events, int64_t until)
{
	struct pollfd p = {.fd = fd, .events = events};
	int64_t left = until - info_now_ms();

	return left > 0 && poll(&p, 1, (int)left) > 0;
}

/* "tls://HOST:PORT", HOST perhaps in brackets. The port may be left out. */
static bool url_split(const char *url, char *host, size_t host_size, char *port, size_t port_size)
{
	const char *at = url + strlen("tls://"), *end, *colon;

	end = at + strcspn(at, "/");
	colon = end;
	while (colon > at && *colon != ':' && *colon != ']')
		colon--;
	if (*colon != ':')
		colon = end;
	snprintf(port, port_size, "%.*s", colon < end ? (int)(end - colon - 1) : 4, colon < end ? colon + 1 : "4222");
	if (*at == '[' && colon > at && colon[-1] == ']')
		at++, snprintf(host, host_size, "%.*s", (int)(colon - 1 - at), at);
	else
		snprintf(host, host_size, "%.*s", (int)(colon - at), at);
	return *host && *port;
}

static int info_connect(const char *url, int64_t until, struct ward_error *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
	char host[256], port[16];
	int fd = -1, rc, why = ETIMEDOUT;
	socklen_t size = sizeof(why);

	if (bus_url_check(url, err))
		return -1;
	if (!url_split(url, host, sizeof(host), port, sizeof(port)))
		return cluster_fail(err, WARD_E_USAGE, url, "is no URL of a server"), -1;
	rc = getaddrinfo(host, port, &hints, &found);
	if (rc)
		return cluster_fail(err, WARD_E_TARGET, url, "%s", gai_strerror(rc)), -1;
	for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
		if (fd < 0)
			continue;
		why = connect(fd, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
		if (why == EINPROGRESS) {
			why = ETIMEDOUT;
			if (info_wait(fd, POLLOUT, until))
				getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size);
		}
		if (why)
			close(fd), fd = -1;
	}
	freeaddrinfo(found);
	if (fd < 0)
		cluster_fail(err, WARD_E_TARGET, url, "%s", strerror(why));
	return fd;
}

static bool json_flag(struct json_object *o, const char *name)
{
	struct json_object *value;
	return json_object_object_get_ex(o, name, &value) && json_object_get_boolean(value);
}

static int info_parse(const char *url, const char *line, struct bus_server_info *out, struct ward_error *err)
{
	struct json_object *o = strncmp(line, "INFO ", 5) == 0 ? json_tokener_parse(line + 5) : NULL, *value;

	if (!json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		cluster_fail(err, WARD_E_TARGET, url, "what answers there isn't a NATS server");
		cluster_hint(err, "is that the server's client port?");
		return WARD_E_TARGET;
	}
	if (json_object_object_get_ex(o, "version", &value))
		snprintf(out->version, sizeof(out->version), "%s", json_object_get_string(value));
	if (json_object_object_get_ex(o, "max_payload", &value))
		out->max_payload = json_object_get_uint64(value);
	out->tls_required = json_flag(o, "tls_required");
	out->tls_verify = json_flag(o, "tls_verify");
	out->auth_required = json_flag(o, "auth_required");
	out->jetstream = json_flag(o, "jetstream");
	cluster_clean(out->version);
	json_object_put(o);
	return 0;
}

int bus_nats_info(const char *url, int64_t timeout_ms, struct bus_server_info *out, struct ward_error *err)
{
	int64_t until = info_now_ms() + timeout_ms;
	char *line = calloc(1, MOST_LINE), *end = NULL;
	size_t n = 0;
	int fd, rc;

	memset(out, 0, sizeof(*out));
	if (!line)
		return cluster_no_memory(err);
	fd = info_connect(url, until, err);
	while (fd >= 0 && !end && n < MOST_LINE - 1 && info_wait(fd, POLLIN, until)) {
		ssize_t got = read(fd, line + n, MOST_LINE - 1 - n);
		if (got <= 0)
			break;
		n += (size_t)got;
		end = memchr(line, '\n', n);
	}
	if (fd >= 0)
		close(fd);
	if (end)
		*end = 0;
	rc = fd < 0 ? err ? err->status : WARD_E_TARGET : info_parse(url, end ? line : "", out, err);
	free(line);
	return rc;
}
