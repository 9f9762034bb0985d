/* SPDX-License-Identifier: Apache-2.0 */
/* A state with one field of each kind that the reader knows, and members that it must leave out, and note. */
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
	const void *pointer;
	float real;
};

struct timed {
	unsigned long time;
	int n;
};

struct mistimed {
	unsigned time;
	int n;
};

struct part {
	ward_count n;
	short deep[2][3];
	unsigned char much[129]; /* left out: a long array in a long array */
	char name[4];
};

typedef int row[2];

union mixed {
	short first;
	long second;
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
	union {
		int x;
		long y;
	} either;
	unsigned bits : 3;
	signed few : 4;
	enum mood mood : 10;
	unsigned long many : 40;
	ward_count grid[2][3];
	volatile signed char sc;
	WARD_MAP(unsigned short, int, 4) by_port;
	char text[4096];
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
	char none[2][0];                        /* takes no bytes */
	unsigned char raw[2];                   /* numbers */
	WARD_MAP(int, struct holder, 2) nested; /* left out: what has entries can't be the value of one */
	WARD_PRIVATE(long mine; union mixed also;);
	union mixed unions[2];
	unsigned __int128 wide;
	double real;
	ward_double bits_of_double;
	ward_float bits_of_float[1];
	long double longer;      /* left out */
	_Complex float pairs[2]; /* left out, once */
	unsigned long sparse[129], rows[3][50];
	row twice[2];
	struct part parts[130];
	char lines[150][6];
	void *addresses[2];
	ward_stat sizes[130];
	int five[1][1][1][1][2];                        /* left out: too many dimensions */
	WARD_MAP(long double, ward_count, 2) by_longer; /* left out, with the key's type for a reason */
	WARD_MAP(union mixed, union mixed, 2) by_mixed;
	struct {
		WARD_RING(struct part, 2) ring; /* left out: a long array in a record */
	} held[2];
	ward_elapsed took;
	ward_log2_ns spread;
	WARD_WINDOW_OF(ward_elapsed, 4) window_of;
	WARD_MAP(int, ward_ns, 2) by_ns;
	ward_time moment;
	ward_min_time first_moment;
	WARD_MAP(int, ward_time, 2) moments;
	WARD_RING(struct timed, 2) timed;
	WARD_RING(struct mistimed, 2) mistimed;
	WARD_QUEUE(struct timed, 4) queue;
};
