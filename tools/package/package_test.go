package main

import (
	"debug/buildinfo"
	"debug/elf"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"beanfield/storage/must"
)

// dist is for make package: a release takes a minute to make, and to install it needs
// root, lintian and rpm.
var dist = flag.Bool("dist", false, "make a release, and try it")

// made is the release that all tests look at.
var made = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "beanfield-dist"); err == nil {
		// Without a profile, what is compiled for other systems is what make targets has compiled.
		err = (&release{out: dir, arch: "amd64", targets: everyTarget(), flags: "-pgo=off"}).make()
	}
	return dir, err
})

// packages is one that has only the packages, and the archive of their target.
func packages(out, version string) *release {
	return &release{out: out, version: version, arch: "amd64"}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if *dist {
		if dir, _ := made(); dir != "" {
			os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// file is the file of the release that fits a pattern.
func file(t *testing.T, pattern string) string {
	t.Helper()
	if !*dist {
		t.Skip("make package runs this")
	}
	dir := must.Get(made())
	return only(t, filepath.Join(dir, pattern))
}

func only(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The same source at another place, which is no repository, gives the same bytes (PK1): of the packages, and of all
// that goes into their archive. Those for other systems are made by the same steps.
func TestReproducible(t *testing.T) {
	sums, err := os.ReadFile(file(t, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = filepath.Dir(file(t, "SHA256SUMS"))
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	first := packages("unused", "")
	must.Do(t, first.find())
	must.Do(t, first.date())
	again := packages(t.TempDir(), first.version)
	again.top, again.commit = t.TempDir(), first.commit
	run(t, "sh", "-c", `cd "$1" && git ls-files -z | xargs -0 cp --parents -t "$2"`, "sh", first.top, again.top)
	t.Setenv("SOURCE_DATE_EPOCH", strconv.FormatInt(first.time, 10))
	must.Do(t, again.make())
	got := string(must.Get(os.ReadFile(filepath.Join(again.out, "SHA256SUMS"))))
	for line := range strings.Lines(got) {
		if !strings.Contains(string(sums), line) {
			t.Errorf("%snot in\n%s", line, sums)
		}
	}
	if n := strings.Count(got, "\n"); n != 5 {
		t.Errorf("%d files:\n%s", n, got)
	}
	if n := strings.Count(string(sums), "\n"); n != 3+2*len(everyTarget()) {
		t.Errorf("%d files in a release", n)
	}
}

// The list of what is linked in is that of the program itself, for each target, and all of it has a licence.
func TestLicences(t *testing.T) {
	for _, target := range everyTarget() {
		dir := t.TempDir()
		run(t, "tar", "-xzf", file(t, "*-"+target.String()+".tar.gz"), "-C", dir)
		info := must.Get(buildinfo.ReadFile(only(t, filepath.Join(dir, "*", "beanfield"))))
		list := string(must.Get(os.ReadFile(only(t, filepath.Join(dir, "*", "licences")))))
		if separate := must.Get(os.ReadFile(file(t, "*-"+target.String()+".licences"))); string(separate) != list {
			t.Errorf("%s: the list beside the archive is another one", target)
		}
		notices := string(must.Get(os.ReadFile(only(t, filepath.Join(dir, "*", "copyright")))))
		for _, m := range append(info.Deps, &debug.Module{Path: "std", Version: info.GoVersion}) {
			title := m.Path + " " + m.Version
			if !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(title)+`: (\S+-|MIT)`).MatchString(list) ||
				!strings.Contains(notices, "\n---- "+title+", ") {
				t.Errorf("%s: %s is linked in, and not in\n%s", target, title, list)
			}
		}
		if n := strings.Count(list, "\n"); n != len(info.Deps)+2 {
			t.Errorf("%s: %d modules are linked in, %d lines\n%s", target, len(info.Deps), n, list)
		}
		for _, s := range info.Settings {
			want := map[string]string{"GOOS": target.os, "GOARCH": target.arch, "CGO_ENABLED": "0"}[s.Key]
			if want != "" && s.Value != want {
				t.Errorf("%s: %s is %s", target, s.Key, s.Value)
			}
		}
	}
}

// Packages inside a module, and the standard library's vendored ones, may have notices of their own.
func TestNoticesOfPackages(t *testing.T) {
	r := packages(t.TempDir(), "1")
	r.stage = t.TempDir()
	must.Do(t, r.find())
	must.Do(t, r.notices(r.packaged()))
	all := must.Get(os.ReadFile(filepath.Join(r.stage, "copyright")))
	for file, want := range map[string]bool{"pebble/v2 \\S+, LICENSE": true, "pebble/v2 \\S+, internal/cache/LICENSE": true,
		"compress \\S+, s2/LICENSE": true, "std \\S+, src/vendor/golang.org/x/net/LICENSE": true,
		"std \\S+, src/crypto/internal/boring/LICENSE": false} {
		if got := regexp.MustCompile(`(?m)^---- \S*` + file + `$`).Match(all); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

// What somebody has set does not change what the compiler makes (PK1).
func TestEnvironment(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "env")
	must.Do(t, os.WriteFile(settings, []byte("GOFLAGS=-race\nGOARM64=v9.0\n"), 0o644))
	t.Setenv("GOENV", settings)
	t.Setenv("GOAMD64", "v3")
	t.Setenv("GOEXPERIMENT", "jsonv2")
	env := exec.Command("go", "env", "GOFLAGS", "GOAMD64", "GOARM64", "GOEXPERIMENT")
	env.Env = packages("", "").environment(target{"linux", "amd64"})
	if got := string(must.Get(env.Output())); got != "\nv1\nv8.0\n\n" {
		t.Errorf("%q", got)
	}
}

// Who asks for a system on which the server does not run hears that, and which there are; so does who builds for one.
func TestTargets(t *testing.T) {
	if all := must.Get(readTargets("linux/arm64,linux/amd64")); fmt.Sprint(all) != "[linux-arm64 linux-amd64]" {
		t.Errorf("read %v", all)
	}
	for _, text := range []string{"windows/amd64", "linux/386", "linux", "", "linux/amd64,", "linux/amd64/v3"} {
		if _, err := readTargets(text); err == nil ||
			!strings.Contains(err.Error(), "there are releases for "+strings.Join(systems, ", ")+", each on amd64 and arm64") {
			t.Errorf("%q: %v", text, err)
		}
	}
	r := packages(t.TempDir(), "1")
	must.Do(t, r.find())
	build := exec.Command("go", "build", filepath.Join(r.top, "storage/pace/elsewhere.go"))
	build.Env = append(os.Environ(), "GOOS=windows")
	if out, err := build.CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "beanfield_runs_on_Linux_macOS_and_FreeBSD_only") {
		t.Errorf("built for Windows: %v, %s", err, out)
	}
}

// The program is one file that needs no other, and not a large one. PK2: the manual page beside
// it is what it says itself.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	run(t, "tar", "-xzf", file(t, "*-linux-amd64.tar.gz"), "-C", dir)
	name := only(t, filepath.Join(dir, "*", "beanfield"))
	info := must.Get(os.Stat(name))
	if info.Size() >= 40e6 {
		t.Errorf("the program has %d bytes", info.Size())
	}
	f := must.Get(elf.Open(name))
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program is not static")
		}
	}
	if page, err := os.ReadFile(only(t, filepath.Join(dir, "*", "beanfield.1"))); err != nil ||
		string(page) != run(t, name, "help", "man") {
		t.Errorf("the manual page is not the program's own: %v", err)
	}
	if got := run(t, name, "--version"); !strings.Contains(filepath.Dir(name),
		strings.TrimSpace(strings.TrimPrefix(got, "beanfield "))) {
		t.Errorf("%s is in %s", got, name)
	}
}

func TestLintian(t *testing.T) {
	out := run(t, "lintian", "--allow-root", "--fail-on", "error", file(t, "*.deb"))
	t.Log(out)
}

// The RPM package has what the Debian package has, and keeps a configuration that was
// edited.
func TestRPM(t *testing.T) {
	name := file(t, "*.rpm")
	flags := run(t, "rpm", "-qp", "--qf", "[%{FILENAMES} %{FILEFLAGS:fflags}\n]", name)
	if !strings.Contains(flags, "/etc/beanfield/beanfield.toml cn\n") {
		t.Errorf("the configuration is not one that is kept:\n%s", flags)
	}
	run(t, "rpm", "--checksig", "--nosignature", name)
	moved := strings.NewReplacer("/usr/lib/systemd/system/", "/lib/systemd/system/", "site-functions",
		"vendor-completions")
	rpm := moved.Replace(run(t, "rpm", "-qlp", name))
	for line := range strings.Lines(run(t, "sh", "-c", `dpkg-deb --fsys-tarfile "$1" | tar -t`, "sh",
		file(t, "*.deb"))) {
		path := strings.TrimPrefix(strings.TrimSpace(line), ".")
		path = "/" + strings.TrimPrefix(path, "/")
		if strings.HasSuffix(path, "/") || strings.Contains(path, "lintian") ||
			strings.Contains(path, "changelog.Debian") {
			continue
		}
		if !strings.Contains(rpm, path+"\n") {
			t.Errorf("the RPM package lacks %s", path)
		}
	}
	if got := run(t, "rpm", "-qp", "--qf", "%{LICENSE}", name); got != "none has been chosen yet" {
		t.Errorf("the licence is %q", got)
	}
	for _, what := range []string{"sysusers", "preset", "try-restart"} {
		if !strings.Contains(run(t, "rpm", "-qp", "--scripts", name), what) {
			t.Errorf("no %s in the scripts", what)
		}
	}
}

// The Debian package is installed, serves, is upgraded and purged (PK3), in a copy of this
// system.
func TestInstall(t *testing.T) {
	old := file(t, "*.deb")
	newer := t.TempDir()
	must.Do(t, packages(newer, "99.0").make())
	given := t.TempDir()
	run(t, "cp", old, filepath.Join(given, "old.deb"))
	run(t, "cp", only(t, filepath.Join(newer, "*.deb")), filepath.Join(given, "newer.deb"))
	run(t, "cp", "testdata/install.sh", given)
	t.Log(run(t, "unshare", "--mount", "--pid", "--fork", "--net", "--kill-child", "timeout", "120",
		"testdata/apart.sh", given, "bash", "/given/install.sh", "/given/old.deb", "/given/newer.deb"))
}
