/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network that misbehaves when it's told to: between clients and a server on loopback.
 *
 *      proxy SERVER-PORT [ADDRESS]
 *
 * It listens on loopback, or on an address that leads to a network of the test's own. It prints the port that it
 * listens on, then obeys the lines of its standard input, and says `done` after each:
 *
 *      pass            everything goes through, at once (as at the start)
 *      stall up        what clients send waits, and goes on when it may pass; so with `stall down`, what servers send
 *      lose up         what clients send is lost, and the connection is cut when it may pass again; so with `lose down`
 *      delay MS        both directions are late by that
 *      flip            one bit of the next bytes is flipped, of either direction, in each connection
 *      cut             all connections are closed at once; new ones are taken
 *      refuse          all connections are closed at once, and so is each new one
 *      count           prints how many connections there are now
 *
 * TCP keeps bytes in order, so a network that loses or changes some of them shows as a connection that stalls or ends:
 * bytes that are taken out of a stream would be another fault. It ends at the end of its input.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 256, CHUNK = 1 << 16, CHUNKS = 64 };
enum { UP, DOWN };

/* Bytes on their way, and when they may go on. */
struct chunk {
	uint64_t due;
	size_t size, sent;
	char bytes[CHUNK];
};

/* One direction of a connection. */
struct flow {
	int from, to;
	bool ended; /* `from` sends no more */
	bool flip, lossy;
	size_t n;
	struct chunk *chunks[CHUNKS];
};

struct connection {
	struct flow flow[2];
};

static struct connection *connections[MOST_CONNECTIONS];
static size_t n_connections;
static bool stalled[2], lost[2], refusing;
static uint64_t late;

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int listen_at(const char *address)
{
	struct sockaddr_in at = loopback(0);
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (address && inet_pton(AF_INET, address, &at.sin_addr) != 1)
		fail(address);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 64) < 0)
		fail("listen");
	if (getsockname(fd, (struct sockaddr *)&at, &size) < 0)
		fail("getsockname");
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

/* ---- connections ---- */

static void flow_clear(struct flow *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->chunks[i]);
	f->n = 0;
}

static void connection_close(size_t i)
{
	struct connection *c = connections[i];

	close(c->flow[UP].from);
	close(c->flow[UP].to);
	flow_clear(&c->flow[UP]);
	flow_clear(&c->flow[DOWN]);
	free(c);
	connections[i] = connections[--n_connections];
}

static void close_all(void)
{
	while (n_connections)
		connection_close(n_connections - 1);
}

static void connection_open(int listener, uint16_t port)
{
	struct sockaddr_in to = loopback(port);
	int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), server;
	struct connection *c;

	if (client < 0)
		return;
	server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (server < 0)
		fail("socket");
	c = calloc(1, sizeof(*c));
	if (!c || refusing || n_connections == MOST_CONNECTIONS ||
		connect(server, (struct sockaddr *)&to, sizeof(to)) < 0 || fcntl(server, F_SETFL, O_NONBLOCK) < 0) {
		close(client);
		close(server);
		free(c);
		return;
	}
	c->flow[UP] = (struct flow){.from = client, .to = server};
	c->flow[DOWN] = (struct flow){.from = server, .to = client};
	connections[n_connections++] = c;
}

/* ---- bytes ---- */

/* false: the connection is over. */
static bool flow_take(struct flow *f, int way)
{
	struct chunk *c = malloc(sizeof(*c));
	ssize_t got;

	if (!c)
		fail("malloc");
	got = read(f->from, c->bytes, CHUNK);
	if (got <= 0) {
		bool again = got < 0 && (errno == EAGAIN || errno == EINTR);

		free(c);
		f->ended |= !again;
		return got == 0 || again;
	}
	if (lost[way]) {
		f->lossy = true;
		free(c);
		return true;
	}
	if (f->flip) {
		c->bytes[got / 2] ^= (char)(way == UP ? 1 << 3 : 1 << 5);
		f->flip = false;
	}
	c->due = now_ms() + late;
	c->size = (size_t)got;
	c->sent = 0;
	f->chunks[f->n++] = c;
	return true;
}

static bool flow_give(struct flow *f, int way)
{
	while (f->n && !stalled[way] && f->chunks[0]->due <= now_ms()) {
		struct chunk *c = f->chunks[0];
		ssize_t put = send(f->to, c->bytes + c->sent, c->size - c->sent, MSG_NOSIGNAL);

		if (put < 0)
			return errno == EAGAIN || errno == EINTR;
		c->sent += (size_t)put;
		if (c->sent < c->size)
			return true;
		free(c);
		memmove(f->chunks, f->chunks + 1, --f->n * sizeof(c));
	}
	if (f->ended && !f->n)
		shutdown(f->to, SHUT_WR);
	/* Bytes are missing in the stream: it can't go on. */
	return !(f->lossy && !lost[way]);
}

static bool connection_work(struct connection *c, const struct pollfd polls[2])
{
	for (int way = 0; way < 2; way++) {
		struct flow *f = &c->flow[way];

		if ((polls[way].revents & (POLLIN | POLLHUP | POLLERR)) && !f->ended && f->n < CHUNKS &&
			!flow_take(f, way))
			return false;
		if (!flow_give(f, way))
			return false;
	}
	return !(c->flow[UP].ended && c->flow[DOWN].ended && !c->flow[UP].n && !c->flow[DOWN].n);
}

/* ---- orders ---- */

static void pass(void)
{
	stalled[UP] = stalled[DOWN] = lost[UP] = lost[DOWN] = refusing = false;
	late = 0;
}

static bool obey(const char *line)
{
	char what[16], which[16] = "";
	int n = sscanf(line, "%15s %15s", what, which), way = strcmp(which, "down") == 0;

	if (n < 1)
		return false;
	if (strcmp(what, "pass") == 0)
		pass();
	else if (strcmp(what, "stall") == 0)
		stalled[way] = true;
	else if (strcmp(what, "lose") == 0)
		lost[way] = true;
	else if (strcmp(what, "delay") == 0)
		late = strtoul(which, NULL, 10);
	else if (strcmp(what, "cut") == 0)
		close_all();
	else if (strcmp(what, "refuse") == 0) {
		refusing = true;
		close_all();
	} else if (strcmp(what, "flip") == 0) {
		for (size_t i = 0; i < n_connections; i++)
			connections[i]->flow[UP].flip = connections[i]->flow[DOWN].flip = true;
	} else if (strcmp(what, "count") == 0)
		printf("%zu\n", n_connections);
	else
		return false;
	return true;
}

/* Lines that are there; false at the end. */
static bool obey_input(void)
{
	static char text[1024];
	static size_t have;
	ssize_t got = read(STDIN_FILENO, text + have, sizeof(text) - 1 - have);
	char *end;

	if (got <= 0)
		return false;
	have += (size_t)got;
	text[have] = 0;
	while ((end = strchr(text, '\n'))) {
		*end = 0;
		puts(obey(text) ? "done" : "what?");
		fflush(stdout);
		have -= (size_t)(end + 1 - text);
		memmove(text, end + 1, have + 1);
	}
	return have < sizeof(text) - 1;
}

/* What there is to wait for: two of each connection, after the input and the listener. */
static size_t polls_fill(struct pollfd *polls, int listener)
{
	polls[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
	polls[1] = (struct pollfd){.fd = listener, .events = POLLIN};
	for (size_t i = 0; i < n_connections; i++) {
		for (int way = 0; way < 2; way++) {
			const struct flow *f = &connections[i]->flow[way];

			polls[2 + 2 * i + (size_t)way] =
				(struct pollfd){.fd = f->ended || f->n == CHUNKS ? -1 : f->from, .events = POLLIN};
		}
	}
	return 2 + 2 * n_connections;
}

static bool bytes_wait(void)
{
	for (size_t i = 0; i < n_connections; i++)
		if (connections[i]->flow[UP].n || connections[i]->flow[DOWN].n)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static struct pollfd polls[2 + 2 * MOST_CONNECTIONS];
	uint16_t port = argc == 2 || argc == 3 ? (uint16_t)strtoul(argv[1], NULL, 10) : 0;
	bool told = false;
	int listener;

	if (!port) {
		fprintf(stderr, "usage: proxy SERVER-PORT [ADDRESS]\n");
		return 2;
	}
	listener = listen_at(argv[2]);
	for (;;) {
		size_t n = polls_fill(polls, listener);

		if (poll(polls, n, told ? 0 : bytes_wait() ? 1 : -1) < 0 && errno != EINTR)
			fail("poll");
		/* From the last to the first: one that is closed gives its place to one that has had its turn. */
		for (size_t i = n_connections; i-- > 0;)
			if (!connection_work(connections[i], &polls[2 + 2 * i]))
				connection_close(i);
		if (polls[1].revents)
			connection_open(listener, port);
		told = polls[0].revents;
		if (told && !obey_input())
			break;
	}
	close_all();
	return 0;
}
