// SPDX-License-Identifier: Apache-2.0
// Keeps much of C++ busy at several depths: exceptions that pass frames with destructors, virtual calls, containers and
// their callbacks, regular expressions, streams, and coroutines, whose frames are on the heap.
#include <algorithm>
#include <coroutine>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#define APART __attribute__((noinline))

static volatile unsigned long sum;

// ---- virtual calls ----

struct shape {
	virtual ~shape() = default;
	virtual double area(int depth) const = 0;
};

struct square : shape {
	double side;
	explicit square(double s) : side(s) {}
	APART double area(int) const override { return side * side; }
};

struct group : shape {
	std::vector<std::unique_ptr<shape>> parts;
	APART double area(int depth) const override
	{
		double all = 0;
		for (const auto &p : parts)
			all += p->area(depth + 1);
		return all;
	}
};

APART static std::unique_ptr<shape> make_shape(int depth)
{
	if (depth == 0)
		return std::make_unique<square>(2.5);
	auto g = std::make_unique<group>();
	for (int i = 0; i < 3; i++)
		g->parts.push_back(make_shape(depth - 1));
	return g;
}

// ---- exceptions ----

struct counted {
	std::string text;
	explicit counted(int n) : text(static_cast<size_t>(n) + 20, 'x') {}
	APART ~counted() { sum = sum + text.size(); }
};

APART static int throws(int depth, int n)
{
	counted guard(depth);
	if (depth == 0) {
		if (n % 2)
			throw std::runtime_error("odd " + std::to_string(n));
		return n;
	}
	return throws(depth - 1, n) + 1;
}

APART static int catches(int depth, int n)
{
	try {
		return throws(depth, n);
	} catch (const std::exception &e) {
		return static_cast<int>(std::string(e.what()).size());
	}
}

// ---- coroutines ----

struct numbers {
	struct promise_type {
		unsigned long now = 0;
		numbers get_return_object() { return numbers{std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(unsigned long v) noexcept
		{
			now = v;
			return {};
		}
		void return_void() {}
		void unhandled_exception() { std::terminate(); }
	};
	std::coroutine_handle<promise_type> h;
	explicit numbers(std::coroutine_handle<promise_type> from) : h(from) {}
	numbers(numbers &&other) noexcept : h(std::exchange(other.h, {})) {}
	numbers(const numbers &) = delete;
	~numbers()
	{
		if (h)
			h.destroy();
	}
	bool next()
	{
		h.resume();
		return !h.done();
	}
};

static numbers upto(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		co_yield i * i;
}

static numbers sums(unsigned depth, unsigned n)
{
	if (depth == 0) {
		auto one = upto(n);
		while (one.next())
			co_yield one.h.promise().now;
	} else {
		auto more = sums(depth - 1, n);
		while (more.next())
			co_yield more.h.promise().now + 1;
	}
}

APART static void coroutines()
{
	auto all = sums(5, 30);
	while (all.next())
		sum = sum + all.h.promise().now;
}

// ---- containers ----

APART static void containers(int n)
{
	std::map<std::string, int> ordered;
	std::unordered_map<int, std::vector<int>> hashed;
	std::vector<std::string> names;
	for (int i = 0; i < 100; i++) {
		names.push_back(std::to_string((i * 7919 + n) % 1000));
		ordered[names.back()] += i;
		hashed[i % 10].push_back(i);
	}
	std::sort(names.begin(), names.end(),
		[](const std::string &a, const std::string &b) { return std::stoi(a) < std::stoi(b); });
	std::function<int(int)> deeper = [&](int k) { return k ? deeper(k - 1) + ordered[names[0]] : catches(6, n); };
	sum = sum + static_cast<unsigned long>(deeper(8));
	for (auto &h : hashed)
		std::for_each(h.second.begin(), h.second.end(), [](int v) { sum = sum + static_cast<unsigned long>(v); });
}

APART static void texts(int n)
{
	static const std::regex pattern("([a-z]+)([0-9]*)(x|y)*");
	std::ostringstream out;
	std::smatch found;
	out << "abc" << n << "xyxy" << 3.5 << std::hex << n;
	std::string text = out.str();
	if (std::regex_search(text, found, pattern))
		sum = sum + found[1].str().size();
}

int main()
{
	auto shapes = make_shape(5);
	for (int n = 0;; n++) {
		sum = sum + static_cast<unsigned long>(shapes->area(0));
		sum = sum + static_cast<unsigned long>(catches(n % 20, n));
		coroutines();
		containers(n);
		texts(n);
	}
}
