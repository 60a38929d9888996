package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

// image is a container file, and the root that it describes.
type image struct {
	root, user, stop    string
	entry, args, health []string
	volume              string
}

// assemble reads the container file in a directory, and does what it says.
func assemble(t *testing.T, context string) *image {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(context, "Dockerfile")))
	im := &image{root: t.TempDir()}
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "#", "FROM", "EXPOSE", "":
		case "COPY":
			im.copies(t, context, strings.Fields(rest))
		case "USER":
			im.user = rest
		case "VOLUME":
			im.volume = rest
		case "STOPSIGNAL":
			im.stop = rest
		case "ENTRYPOINT":
			im.entry = list(t, rest)
		case "CMD":
			im.args = list(t, rest)
		case "HEALTHCHECK":
			_, command, _ := strings.Cut(rest, "CMD ")
			im.health = list(t, command)
		default:
			t.Fatalf("the test does not know %s", word)
		}
	}
	return im
}

func (im *image) copies(t *testing.T, context string, words []string) {
	t.Helper()
	owner := "0:0"
	if given, ok := strings.CutPrefix(words[0], "--chown="); ok {
		owner, words = given, words[1:]
	}
	to := filepath.Join(im.root, words[1])
	must.Do(t, os.MkdirAll(filepath.Dir(to), 0o755))
	run(t, "cp", "-r", "--preserve=mode", filepath.Join(context, words[0]), to)
	run(t, "chown", "-R", owner, to)
}

func list(t *testing.T, text string) (words []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return words
}

// TestContainer runs the image as a container is run: as process 1 of its own, without
// root, in a root that has nothing else. Its health check finds it healthy, and the signal
// that stops a container stops it cleanly.
func TestContainer(t *testing.T) {
	context := t.TempDir()
	run(t, "tar", "-xzf", file(t, "*-container-amd64.tar.gz"), "-C", context)
	im := assemble(t, context)
	for _, dir := range []string{im.root, context} {
		must.Do(t, os.Chmod(dir, 0o755))
	}
	if im.user == "" || strings.HasPrefix(im.user, "0") || im.stop != "SIGTERM" || im.volume != "/var/lib/beanfield" {
		t.Errorf("%+v", im)
	}
	words := append([]string{"--mount", "--pid", "--fork", "--net", "--kill-child", "sh", "-c",
		`ip link set lo up && exec chroot --userspec="$0" "$@"`, im.user, im.root}, append(im.entry, im.args...)...)
	container := exec.Command("unshare", words...)
	container.Stderr = os.Stderr
	must.Do(t, container.Start())
	limit := time.AfterFunc(5*time.Minute, func() { container.Process.Kill() })
	defer limit.Stop()
	first := child(t, container.Process.Pid)
	for !im.healthy(first) {
		if err := syscall.Kill(first, 0); err != nil {
			t.Fatalf("the container has ended: %v", err)
		}
	}
	status := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/status", first)))
	if !strings.Contains(string(status), fmt.Sprintf("NSpid:\t%d\t1\n", first)) || !strings.Contains(string(status),
		"Uid:\t65532\t65532") {
		t.Errorf("not process 1, or not without root:\n%s", status)
	}
	must.Do(t, syscall.Kill(first, syscall.SIGTERM))
	if err := container.Wait(); err != nil {
		t.Errorf("stopped with %v", err)
	}
	if _, err := os.Stat(filepath.Join(im.root, im.volume, "data", "gen-000001")); err != nil {
		t.Errorf("no jobs on the volume: %v", err)
	}
	alone := append([]string{"--net", "chroot", "--userspec=" + im.user, im.root}, im.health...)
	if err := exec.Command("unshare", alone...).Run(); err == nil {
		t.Error("healthy, though nobody serves")
	}
}

// healthy runs the health check beside a process.
func (im *image) healthy(pid int) bool {
	words := append([]string{"--target", strconv.Itoa(pid), "--net", "chroot", "--userspec=" + im.user, im.root},
		im.health...)
	return exec.Command("nsenter", words...).Run() == nil
}

// child waits for the one child of a process.
func child(t *testing.T, pid int) int {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); {
		b := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)))
		if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
			return pid
		}
	}
	t.Fatal("no process")
	return 0
}
