package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// threeNodes is a cluster's file, whose first line is of [storage] and whose fourth begins [cluster].
const threeNodes = `[storage]
backend = "pebble"
path = "/"
[cluster]
name = "orders"
node = "a"
secret = "hush"
replicas = 3
[cluster.nodes]
a = "10.0.0.1:11390"
b-2 = "db_2.example.org:11390"
C_3 = "[2001:db8::1]:11390"
`

func TestClusterFile(t *testing.T) {
	c := must.Get(load(t, "", threeNodes))
	want := ClusterConfig{Name: "orders", Node: "a", Secret: "hush", Replicas: 3, Wait: 10 * time.Second, Nodes: map[string]Address{
		"a": {Host: "10.0.0.1", Port: 11390}, "b-2": {Host: "db_2.example.org", Port: 11390},
		"C_3": {Host: "2001:db8::1", Port: 11390},
	}}
	if !reflect.DeepEqual(c.Cluster, want) || !c.Clustered() {
		t.Errorf("read %+v, want %+v", c.Cluster, want)
	}
	text := printed(t, c)
	if strings.Contains(text, "hush") {
		t.Errorf("the secret is in\n%s", text)
	}
	again := must.Get(load(t, "", strings.Replace(text, `cluster.secret = ["not shown"]`,
		`cluster.secret = "hush"`, 1)))
	if !reflect.DeepEqual(again.Cluster, want) {
		t.Errorf("printed\n%s\nread %+v", text, again.Cluster)
	}
	if load := must.Get(load(t, "", "")); load.Clustered() {
		t.Error("there is a cluster by default")
	}
}

// A node is by default the one that has the machine's name, so that all may have one file.
func TestClusterNodeHere(t *testing.T) {
	name, _, _ := strings.Cut(must.Get(os.Hostname()), ".")
	if checkPlain(name) != nil {
		t.Skipf("no node can have the name of this machine, %s", name)
	}
	c := must.Get(load(t, "", changed(`node = "a"=>`, "[cluster.nodes]=>[cluster.nodes]\n"+name+` = "10.0.0.9:1"`)))
	if c.Cluster.Node != name {
		t.Errorf("%s is node %q", name, c.Cluster.Node)
	}
	for machine, want := range map[string]string{"b-2.example.org": "b-2", "b": "", "a": "a", "": ""} {
		if got := c.Cluster.here(machine); got != want {
			t.Errorf("%q is node %q, want %q", machine, got, want)
		}
	}
}

// changed is the file of three nodes, in which lines are replaced: "a=b" puts b where a was.
func changed(lines ...string) string {
	text := threeNodes
	for _, l := range lines {
		old, new, _ := strings.Cut(l, "=>")
		text = strings.Replace(text, old, new, 1)
	}
	return text
}

func TestClusterMistakes(t *testing.T) {
	const nodes = `allowed: a name in cluster.nodes: "C_3", "a", "b-2"`
	checkMistakes(t, []mistaken{
		{"memory", changed(`backend = "pebble"=>backend = "memory"`),
			`FILE:2: storage.backend = "memory": a cluster keeps its jobs on disk: what only memory has cannot outlive its machine; allowed: "pebble"`},
		{"memory by default", changed("backend = \"pebble\"\n=>\n", "path = \"/\"\n=>\n"),
			`FILE:5: storage.backend = "memory": a cluster keeps its jobs on disk: what only memory has cannot outlive its machine; allowed: "pebble"`},
		{"sync", changed("[cluster]=>sync = 'interval'\n[cluster]"),
			`FILE:4: storage.sync = "interval": a cluster answers when most of its replicas have synced what the answer says; there is no other way; allowed: "always"`},
		{"who am I", changed(`node = "a"=>`), `FILE:5: cluster.node: missing: this node's name, and no node has that of ` +
			`this machine; ` + nodes},
		{"a stranger", changed(`node = "a"=>node = "d"`), `FILE:6: cluster.node = "d": there is no such node; ` +
			nodes},
		{"no name", changed(`name = "orders"=>`), `FILE:6: cluster.name: missing: other keys of [cluster] are set`},
		{"no nodes", changed("[cluster.nodes]\na = \"10.0.0.1:11390\"\nb-2 = \"db_2.example.org:11390\"\nC_3 = " +
			"\"[2001:db8::1]:11390\"\n=>"),
			`FILE:5: cluster.nodes: missing: a cluster needs the addresses of its nodes`},
		{"more replicas than nodes", changed("replicas = 3=>replicas = 5"),
			`FILE:8: cluster.replicas = 5: more than there are nodes, which are 3`},
		{"even", changed("replicas = 3=>replicas = 2"),
			`FILE:8: cluster.replicas = 2: an even number outlives no more machines than one less; allowed: 1, 3, 5`},
		{"no replicas", changed("replicas = 3=>replicas = 0"),
			`FILE:8: cluster.replicas = 0: too small; allowed: 1, 3, 5`},
		{"no trust", changed(`secret = "hush"=>`),
			`FILE:5: cluster.secret: missing: without a secret, or cert, key and ca, anybody could be a node`},
		{"no key", changed(`secret = "hush"=>cert = "c"`),
			"FILE:5: cluster.ca: missing: TLS between nodes needs cert, key and ca\n" +
				"FILE:5: cluster.key: missing: TLS between nodes needs cert, key and ca"},
		{"no certificate", changed("secret = \"hush\"=>cert = '/dev/null'\nkey = '/dev/null'\nca = '/dev/null'"),
			`FILE:7: cluster.cert = "/dev/null": `},
		{"secret of numbers", changed(`secret = "hush"=>secret = 1234`),
			`FILE:7: cluster.secret: this is a whole number; allowed: any text; "" for none`},
		{"engine", changed(`replicas = 3=>engine = ["http://u:hush@h"]`),
			`FILE:8: cluster.engine: in the list: not a URL of a NATS server; allowed: a list of URLs, as "nats://user:password@host:4222" or "tls://host:4222"; [] for the embedded engine`},
		{"all nodes are wrong, and the rest", "[cluster]\nname = 'a b'\nnode = '" + strings.Repeat("x", 33) +
			"'\nreplica = 3\n[cluster.nodes]\n" +
			"a = '10.0.0.1'\nb = 7\n'c d' = 'h:1'\ne = 'h:1'\nf = 'h:1'\ng = ':1'\nh = 'h:0'\ni = 'unix:/x'\n",
			"FILE:2: cluster.name = \"a b\": not a plain name; allowed: letters, digits, \"-\" and \"_\", at most 32; \"\" for one machine\n" +
				"FILE:2: storage.backend = \"memory\": a cluster keeps its jobs on disk: what only memory has cannot outlive its machine; allowed: \"pebble\"\n" +
				"FILE:3: cluster.node = \"" + strings.Repeat("x", 33) +
				"\": too long; allowed: a name in cluster.nodes; \"\" for that of this machine\n" +
				"FILE:4: cluster.replica = 3: unknown key; did you mean replicas? allowed: name, node, secret, cert, key, ca, replicas, engine, engine_unsafe, warm, prefer, forward, wait, nodes in [cluster]\n" +
				"FILE:6: cluster.nodes.a = \"10.0.0.1\": missing port in address; allowed: " + oneNode + "\n" +
				"FILE:7: cluster.nodes.b = 7: this is a whole number; allowed: " + oneNode + "\n" +
				"FILE:8: cluster.nodes.\"c d\" = \"h:1\": the name of a node: not a plain name; allowed: letters, digits, \"-\" and \"_\", at most 32\n" +
				"FILE:10: cluster.nodes.f = \"h:1\": the same address as that of node e\n" +
				"FILE:11: cluster.nodes.g = \":1\": missing host: the other nodes need it; allowed: " + oneNode + "\n" +
				"FILE:12: cluster.nodes.h = \"h:0\": port 0 cannot be reached; allowed: " + oneNode + "\n" +
				"FILE:13: cluster.nodes.i = \"unix:/x\": a unix socket cannot be reached from other machines; allowed: " + oneNode +
				"\nFILE:2: cluster.secret: missing: without a secret, or cert, key and ca, anybody could be a node"},
		{"nodes of numbers", "cluster.nodes = 3\n", `FILE:1: cluster.nodes = 3: this is a whole number; allowed: a ` +
			`table of names with "host:port", as a = "10.0.0.1:11390"; {} for one machine`},
	})
}

// Flags that choose what a cluster cannot have are mistakes as well.
func TestClusterMistakesOfFlags(t *testing.T) {
	if said, code := refused(t, "-F", threeNodes); said != `-F: a cluster answers when most of its replicas have `+
		`synced what the answer says; there is no other way; allowed: "always"` || code != exit.Usage {
		t.Errorf("%d, %s", code, said)
	}
	c := must.Get(load(t, "-b "+t.TempDir(), changed("path = \"/\"=>")))
	if !c.Clustered() {
		t.Error("-b is not the directory of a node")
	}
}

// Instead of a secret, or beside it, nodes may have certificates; a site's own servers need neither.
func TestClusterTrust(t *testing.T) {
	dir := t.TempDir()
	a := securetest.NewAuthority(t, "authority")
	mine := a.Usual("a")
	ca := securetest.Write(t, dir, "ca", a.PEM)
	files := fmt.Sprintf("cert = '%s'\nkey = '%s'\nca = '%s'", securetest.Write(t, dir, "c", mine.Cert),
		securetest.Write(t, dir, "k", mine.Key), ca)
	for _, text := range []string{changed(`secret = "hush"=>` + files), changed("replicas = 3=>" + files),
		changed(`secret = "hush"=>engine = ["tls://u:p@h:1"]`)} {
		if _, err := load(t, "", text); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "other"), []byte("x"), 0o600))
	said, _ := refused(t, "", changed(`secret = "hush"=>`+strings.Replace(files, ca, filepath.Join(dir, "other"), 1)))
	if !strings.HasPrefix(said, "FILE:9: cluster.ca = ") {
		t.Errorf("of a wrong authority it says: %s", said)
	}
}

// Who is to pass more clients on than the files of the process allow is told so, and check-config says what is allowed.
func TestClientsPassedOn(t *testing.T) {
	var was syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was)
	few := was
	few.Cur = 1024
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	a, dir := securetest.NewAuthority(t, "authority"), t.TempDir()
	mine := a.Usual("a")
	pair := fmt.Sprintf("cert = '%s'\nkey = '%s'\n", securetest.Write(t, dir, "c", mine.Cert),
		securetest.Write(t, dir, "k", mine.Key))
	trust := "ca = '" + securetest.Write(t, dir, "ca", a.PEM) + "'\n"
	const certificate, links = "a certificate for the name that clients use", "links from other nodes' consoles"
	for _, c := range []struct {
		text      string
		most      int
		doubt     string
		says, not string
	}{
		{threeNodes, 384, "", "; here 384: each client that is passed on takes 2 files", certificate},
		{changed("replicas = 3=>" + pair + trust), 256, "", "; here 256", certificate},
		{changed("replicas = 3=>forward = false"), 0, "", "; as many as file descriptors allow", "; here 384"},
		{threeNodes + "[limits]\nmax_connections = 384\n", 384, "", "", links},
		{threeNodes + "[limits]\nmax_connections = 385\n", 385, "can pass on, which is 384: it may open 1024 files", "",
			links},
		{threeNodes + "[http]\n" + pair, 384, "", links, certificate},
		{threeNodes + "[http]\norigins = ['https://b:1', 'https://c:1']\n" + pair, 384, "", "", links},
		{threeNodes + "[[listen]]\naddress = '10.0.0.1:1'\n" + pair, 384, "", certificate, links},
	} {
		conf := must.Get(load(t, "", c.text))
		text, doubts := printed(t, conf), strings.Join(conf.tooFewFiles(), "\n")
		if conf.MostConnections() != c.most || !strings.Contains(doubts, c.doubt) || (doubts == "") != (c.doubt == "") ||
			!strings.Contains(text, c.says) || strings.Contains(text, c.not) {
			t.Errorf("%s\n%d clients, doubts %q, and it prints\n%s", c.text, conf.MostConnections(), doubts, text)
		}
	}
}

// Passwords of a site's own engine are not shown, and what is shown instead is no password.
func TestEnginePasswords(t *testing.T) {
	c := must.Get(load(t, "", changed("replicas = 3=>"+`engine = ["nats://u:hush@h:1", "tls://hush@i", "nats://j"]`)))
	shown := c.row("cluster.engine").show()
	if shown != `["nats://u:xxxxx@h:1", "tls://xxxxx@i", "nats://j"]` {
		t.Errorf("shown are %s", shown)
	}
	said, _ := refused(t, "", changed("replicas = 3=>engine = "+shown))
	if !strings.HasPrefix(said, "FILE:8: cluster.engine: in the list: a password that was not shown") {
		t.Errorf("what is shown is read again: %s", said)
	}
}

// A file with the secret is for the server's user.
func TestReadableSecretOfCluster(t *testing.T) {
	path := writeConfig(t, threeNodes)
	must.Do(t, os.Chmod(path, 0o604))
	c := must.Get(Load(Flags{File: path}))
	if doubts := strings.Join(c.Doubts(), "\n"); !strings.Contains(doubts, "cluster.secret ("+path+
		":7) can be read by every user of this machine: chmod o-r "+path) {
		t.Errorf("the doubts are: %s", doubts)
	}
}
