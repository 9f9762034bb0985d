/* SPDX-License-Identifier: Apache-2.0 */
/* A state with one field of each kind that the reader knows, and some fields that it must leave out. */
#include <ward/probe.h>

enum colour { RED, GREEN };
enum mood { SAD = -2, MEH, GLAD = 200, ELATED = 200 };
typedef enum { NONE, READ = 1, WRITE = 2, EXEC = 4 } rights;

struct place {
	short line;
	char name[6];
};

struct measured {
	ward_count calls;
	ward_log2 sizes;
};

struct record {
	unsigned long time;
	const void *at;
	enum colour colour;
	char text[12];
};

struct holder {
	WARD_MAP(struct place, ward_count, 2) map;
};

struct inner {
	ward_count a;
	int b;
	const void *pointer; /* left out */
	float real;          /* left out */
};

struct ward_state {
	ward_count calls;
	ward_log2 bytes;
	WARD_MAP(int, ward_count, 1024) by_fd;
	struct inner in[3];
	struct {
		short anon;
		unsigned char u8;
	};
	union { /* left out */
		int x;
		long y;
	} either;
	unsigned bits : 3; /* left out */
	ward_count grid[2][3];
	volatile signed char sc;
	WARD_MAP(unsigned short, int, 4) by_port;
	char text[4096]; /* left out: too long for a text */
	ward_count last;
	ward_min least;
	ward_max most;
	ward_stat stat;
	ward_stat_signed stat_signed;
	WARD_LINEAR(-10, 5, 4) linear;
	WARD_QUANTILES(2) quantiles;
	WARD_EWMA(3) ewma;
	WARD_WINDOW(4) window;
	ward_sample sample;
	ward_rate rate;
	WARD_HLL(4) hll;
	WARD_MAP(struct place, struct measured, 2) places;
	WARD_RECENT(void *, ward_log2, 4) recent;
	WARD_TOP(enum colour, 3) top;
	WARD_CHOPSTIX(long, 4, 2) chopstix;
	WARD_RING(struct record, 8) ring;
	WARD_FLIGHT(struct record, 4, 2) flight;
	enum mood moods[2];
	WARD_MAP(rights, ward_count, 4) by_rights;
	WARD_MAP(short, enum mood, 4) mood_of;
	char title[16];
	char words[2][2][8];
	char none[2][0];                        /* left out */
	unsigned char raw[2];                   /* numbers */
	WARD_MAP(int, struct holder, 2) nested; /* left out: what has entries can't be the value of one */
};
