/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server of one text, for Prometheus and its like. It has one thread, which answers one connection after the other:
 * a request of at most 4 KiB within two seconds, and an answer within two more. Nothing of a request is used but its
 * path, and whether it accepts OpenMetrics.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "query_metrics.h"

enum { REQUEST = 4096, PATIENCE_MS = 2000, ADDRESS = 64 };

struct metrics_server {
	int listener, stop; /* stop: readable when the thread is to end */
	pthread_t thread;
	pthread_mutex_t lock;
	char *plain, *openmetrics; /* what is given */
};

/* ---- one connection ---- */

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Wait until the socket can be read, or written. False: the time is over, or the server is to end. */
static bool wait_for(const struct metrics_server *s, int fd, short events, int64_t until)
{
	struct pollfd fds[] = {{.fd = fd, .events = events}, {.fd = s->stop, .events = POLLIN}};
	int64_t left = until - now_ms();

	return left > 0 && poll(fds, 2, (int)left) > 0 && !fds[1].revents;
}

static bool read_request(const struct metrics_server *s, int fd, char request[REQUEST])
{
	int64_t until = now_ms() + PATIENCE_MS;
	size_t n = 0;

	while (n < REQUEST - 1 && wait_for(s, fd, POLLIN, until)) {
		ssize_t got = recv(fd, request + n, REQUEST - 1 - n, MSG_DONTWAIT);

		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		n += got > 0 ? (size_t)got : 0;
		request[n] = 0;
		if (strstr(request, "\r\n\r\n"))
			return true;
	}
	return false;
}

static void send_all(const struct metrics_server *s, int fd, const char *text)
{
	int64_t until = now_ms() + PATIENCE_MS;
	size_t n = strlen(text);

	while (n > 0 && wait_for(s, fd, POLLOUT, until)) {
		ssize_t sent = send(fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return;
		text += sent > 0 ? sent : 0;
		n -= sent > 0 ? (size_t)sent : 0;
	}
}

static void request_answer(
	const struct metrics_server *s, int fd, const char *status, const char *type, const char *body)
{
	char head[300];

	snprintf(head, sizeof(head),
		"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
		"X-Content-Type-Options: nosniff\r\n\r\n",
		status, type, strlen(body));
	send_all(s, fd, head);
	send_all(s, fd, body);
}

static void request_serve(struct metrics_server *s, int fd)
{
	char request[REQUEST], *text = NULL;
	bool openmetrics;

	if (!read_request(s, fd, request))
		return;
	if (strncmp(request, "GET /metrics ", 13) != 0 && strncmp(request, "GET /metrics?", 13) != 0) {
		request_answer(s, fd, strncmp(request, "GET ", 4) ? "405 Method Not Allowed" : "404 Not Found",
			"text/plain", "metrics are at /metrics\n");
		return;
	}
	openmetrics = strcasestr(request, "application/openmetrics-text") != NULL;
	pthread_mutex_lock(&s->lock);
	if (s->plain && s->openmetrics)
		text = strdup(openmetrics ? s->openmetrics : s->plain);
	pthread_mutex_unlock(&s->lock);
	if (text)
		request_answer(s, fd, "200 OK",
			openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
				    : "text/plain; version=0.0.4; charset=utf-8",
			text);
	else
		request_answer(s, fd, "503 Service Unavailable", "text/plain", "there is nothing yet\n");
	free(text);
}

/* What a peer has sent and nobody has read would take the answer away from it with the connection. */
static void connection_finish(const struct metrics_server *s, int fd)
{
	int64_t until = now_ms() + PATIENCE_MS / 4;
	char rest[REQUEST];

	shutdown(fd, SHUT_WR);
	while (wait_for(s, fd, POLLIN, until) && recv(fd, rest, sizeof(rest), MSG_DONTWAIT) > 0)
		;
	close(fd);
}

static void *server_run(void *arg)
{
	struct metrics_server *s = arg;
	struct pollfd fds[] = {{.fd = s->listener, .events = POLLIN}, {.fd = s->stop, .events = POLLIN}};
	const struct timespec pause = {.tv_nsec = 100000000};

	while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
		int fd;

		if (fds[1].revents)
			break;
		if (!fds[0].revents)
			continue;
		fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0) {
			nanosleep(&pause, NULL); /* there are too many files, perhaps */
			continue;
		}
		request_serve(s, fd);
		connection_finish(s, fd);
	}
	return NULL;
}

/* ---- the server ---- */

/* ADDRESS:PORT into both. False: that's no such text. */
static bool split_place(const char *where, char host[ADDRESS], const char **port)
{
	const char *colon = strrchr(where, ':');
	size_t n = colon ? (size_t)(colon - where) : 0;

	*port = colon ? colon + 1 : where;
	if (where[0] == '[' && n >= 2 && where[n - 1] == ']') {
		where++;
		n -= 2;
	}
	if (n >= ADDRESS || !**port || strspn(*port, "0123456789") != strlen(*port) || strtoul(*port, NULL, 10) > 65535)
		return false;
	snprintf(host, ADDRESS, "%.*s", (int)n, where);
	if (n == 0)
		strcpy(host, "127.0.0.1");
	return true;
}

static int listen_at(const char *where, char *at, size_t size, const char **why)
{
	const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	char host[ADDRESS], name[ADDRESS], service[16];
	struct sockaddr_storage bound;
	socklen_t length = sizeof(bound);
	struct addrinfo *found;
	const char *port;
	int fd, one = 1;

	*why = "an address is ADDRESS:PORT, of numbers";
	if (!split_place(where, host, &port) || getaddrinfo(host, port, &wanted, &found) != 0)
		return -1;
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 16) != 0 ||
		getsockname(fd, (struct sockaddr *)&bound, &length) != 0 ||
		getnameinfo((struct sockaddr *)&bound, length, name, sizeof(name), service, sizeof(service),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
		*why = strerror(errno);
		if (fd >= 0)
			close(fd);
		fd = -1;
	} else {
		snprintf(
			at, size, strchr(name, ':') ? "http://[%s]:%s/metrics" : "http://%s:%s/metrics", name, service);
	}
	freeaddrinfo(found);
	return fd;
}

/* Signals are for the program's other threads. */
static bool start_thread(struct metrics_server *s)
{
	sigset_t all, before;
	bool done;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	done = pthread_create(&s->thread, NULL, server_run, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return done;
}

struct metrics_server *metrics_server_open(const char *where, char *at, size_t size, const char **why)
{
	struct metrics_server *s = calloc(1, sizeof(*s));

	if (!s) {
		*why = "out of memory";
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	s->listener = listen_at(where, at, size, why);
	s->stop = s->listener >= 0 ? eventfd(0, EFD_CLOEXEC) : -1;
	if (s->listener >= 0 && (s->stop < 0 || !start_thread(s))) {
		*why = strerror(errno);
		close(s->listener);
		if (s->stop >= 0)
			close(s->stop);
		s->listener = -1;
	}
	if (s->listener >= 0)
		return s;
	pthread_mutex_destroy(&s->lock);
	free(s);
	return NULL;
}

void metrics_server_set(struct metrics_server *s, char *plain, char *openmetrics)
{
	pthread_mutex_lock(&s->lock);
	free(s->plain);
	free(s->openmetrics);
	s->plain = plain;
	s->openmetrics = openmetrics;
	pthread_mutex_unlock(&s->lock);
}

void metrics_server_close(struct metrics_server *s)
{
	if (!s)
		return;
	if (eventfd_write(s->stop, 1) == 0)
		pthread_join(s->thread, NULL);
	close(s->listener);
	close(s->stop);
	free(s->plain);
	free(s->openmetrics);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
