// SPDX-License-Identifier: Apache-2.0
// As kinds.c, without handlers of its own; the runtime has some, for a profiler's signals and for those by which it stops goroutines. Work is done by many goroutines, on few threads, whose stacks grow
// from as good as nothing while the collector runs.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"runtime/pprof"
	"syscall"
)

const goroutines = 20

//go:noinline
func work(n uint64) uint64 {
	if n == 0 {
		return 1
	}
	return n*3 + 1 + work(n-1)
}

//go:noinline
func same(n uint64) uint64 { return n }

//go:noinline
func fails(n uint64) uint64 {
	if n%3 == 0 {
		panic(n)
	}
	return same(n)
}

// Every third call of what this calls doesn't return; but this does, by the way that the runtime takes when a panic was recovered.
//
//go:noinline
func recovers(n uint64) (answer uint64) {
	defer func() {
		if recover() != nil {
			answer = n
		}
	}()
	return fails(n)
}

//go:noinline
func ends(n uint64) uint64 {
	if n%2 == 0 {
		runtime.Goexit()
	}
	return same(n)
}

// Its results take all registers that there are for them.
//
//go:noinline
func wide(n uint64) (a, b, c, d, e, f, g, h, i uint64, x, y float64) {
	m := same(n)
	return m, m + 1, m + 2, m + 3, m + 4, m + 5, m + 6, m + 7, m + 8, float64(m), float64(m + 1)
}

var calls uint64

//go:noinline
func one() { calls++ }

// There is nothing in its frame, so the least is needed to leave it.
//
//go:noinline
func two() {
	one()
	one()
}

// How many of these calls have had other results than they should: 30 of each, and 15 that end their goroutine.
func wrong() (n uint64) {
	done := make(chan bool)
	for i := uint64(0); i < 30; i++ {
		if recovers(i) != i {
			n++
		}
		a, b, c, d, e, f, g, h, j, x, y := wide(i)
		if [...]uint64{a, b, c, d, e, f, g, h, j, uint64(x), uint64(y)} != [...]uint64{i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i, i + 1} {
			n++
		}
		before := calls
		two()
		if calls != before+2 {
			n++
		}
		go func() {
			defer func() { done <- true }()
			ends(i)
		}()
		<-done
	}
	return n
}

// A loop without calls can only be stopped by a signal.
func spin(stop *bool, done chan bool) {
	for n := uint64(1); n != 0; n++ {
		if n%1000 == 0 && *stop {
			break
		}
	}
	done <- true
}

func collect(stop chan bool, done chan bool) {
	for {
		select {
		case <-stop:
			done <- true
			return
		default:
			runtime.GC()
		}
	}
}

func round() (uint64, uint64) {
	answers := make(chan uint64)
	stop, done := make(chan bool), make(chan bool)
	go collect(stop, done)
	for i := 0; i < goroutines; i++ {
		go func() { answers <- work(999) }()
	}
	least, most := ^uint64(0), uint64(0)
	for i := 0; i < goroutines; i++ {
		answer := <-answers
		if answer < least {
			least = answer
		}
		if answer > most {
			most = answer
		}
	}
	stop <- true
	<-done
	return least, most
}

// Where a jump from the end of that function can lead, if its last byte is to be the first one of `add $8, %rsp` (0x48).
func occupy() {
	const window, none, fixed = 1 << 24, 0, 0x4022 // private, anonymous, without memory
	at := (reflect.ValueOf(two).Pointer() + 0x48<<24) &^ (window - 1)
	got, _, err := syscall.Syscall6(syscall.SYS_MMAP, at, 3*window, none, fixed|0x100000, ^uintptr(0), 0)
	if err != 0 || got != at {
		panic(err)
	}
}

func main() {
	if len(os.Args) > 1 {
		occupy()
	}
	runtime.GOMAXPROCS(4)
	pprof.StartCPUProfile(io.Discard)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		least, most := round()
		most += wrong()
		fmt.Printf("%d %d faults 0 traps 0\n", least, most)
	}
	pprof.StopCPUProfile()
}
