// As kinds.c, without handlers of its own; the runtime has some, for a profiler's signals and for those by which it stops goroutines. Work is done by many goroutines, on few threads, whose stacks grow
// from as good as nothing while the collector runs.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
)

const goroutines = 20

//go:noinline
func work(n uint64) uint64 {
	if n == 0 {
		return 1
	}
	return n*3 + 1 + work(n-1)
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

func main() {
	runtime.GOMAXPROCS(4)
	pprof.StartCPUProfile(io.Discard)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		least, most := round()
		fmt.Printf("%d %d faults 0 traps 0\n", least, most)
	}
	pprof.StopCPUProfile()
}
