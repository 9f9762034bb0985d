/* SPDX-License-Identifier: Apache-2.0 */
// Exceptions for random programs, which are C.
extern "C" {
void throw_one();
int try_block(void (*block)(unsigned long), unsigned long n);
}

void throw_one()
{
	throw 1;
}

int try_block(void (*block)(unsigned long), unsigned long n)
{
	try {
		block(n);
	} catch (int one) {
		return one;
	}
	return 0;
}
