package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"beanfield/storage/must"
)

// aTerminal is a terminal: what is written to one end is read at the other.
func aTerminal(t *testing.T) (program, person *os.File) {
	t.Helper()
	person = must.Get(os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0))
	t.Cleanup(func() { person.Close() })
	var n, unlocked int32
	for request, value := range map[uintptr]*int32{syscall.TIOCGPTN: &n, syscall.TIOCSPTLCK: &unlocked} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request,
			uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	program = must.Get(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0))
	t.Cleanup(func() { program.Close() })
	return program, person
}

// On a terminal, load shows how far it has come, and no ids; what it shows is gone at the end.
func TestLoadOnATerminal(t *testing.T) {
	s := startServer(t)
	terminal, person := aTerminal(t)
	in, lines := io.Pipe()
	code := make(chan int)
	go func() {
		p := &Program{Stdin: in, Stdout: terminal, Stderr: terminal}
		code <- p.Run(Find("load"), []string{"-server", s.addr})
	}()
	var seen bytes.Buffer
	sees := func(what string) {
		for b := make([]byte, 1000); !bytes.Contains(seen.Bytes(), []byte(what)); {
			seen.Write(b[:must.Get(person.Read(b))])
		}
	}
	sees("put, 0 s") // while it has nothing to do
	must.Get(io.WriteString(lines, strings.Repeat(`{"tube":"a","body":"x"}`+"\n", 3)))
	sees("put 3, ")
	lines.Close()
	if got := <-code; got != 0 {
		t.Errorf("code %d", got)
	}
	fmt.Fprint(terminal, "END")
	sees("END")
	if text := seen.String(); strings.Contains(text, "\n") || !strings.HasSuffix(text, "\r\x1b[KEND") {
		t.Errorf("%q", text)
	}
}
