package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"beanfield/storage/must"
)

// flatten puts the values of a document of YAML into a map, by their paths. What has a name in a list is found by
// that, all else by its place.
func flatten(into map[string]string, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			flatten(into, at+"/"+name, value)
		}
	case []any:
		for i, element := range v {
			place := fmt.Sprint(at, "/", i)
			if named, ok := element.(map[string]any); ok && named["name"] != nil {
				place = fmt.Sprint(at, "/", named["name"])
			}
			flatten(into, place, element)
		}
	default:
		into[at] = fmt.Sprint(v)
	}
}

// fields are those of Kubernetes that the example uses: it would refuse or drop others.
var fields = regexp.MustCompile(`^(Service|NetworkPolicy|PodDisruptionBudget|StatefulSet|ConfigMap) [a-z-]+/(` +
	`apiVersion|kind|metadata/name|(spec/(template/)?)?metadata/labels/app|data/beanfield.toml|spec/(` +
	`((pod)?[sS]elector|selector/matchLabels|podSelector/matchLabels)/app|clusterIP|publishNotReadyAddresses|ports/\w+/` +
	`(name|port|targetPort)|serviceName|replicas|podManagementPolicy|minReadySeconds|maxUnavailable|policyTypes/0|` +
	`ingress/\d/(ports/\d/port|from/0/(pod|namespace)Selector/matchLabels/\S+)|` +
	`volumeClaimTemplates/\d/(metadata/name|spec/(accessModes/0|resources/requests/storage))|template/spec/(` +
	`terminationGracePeriodSeconds|automountServiceAccountToken|enableServiceLinks|securityContext/(runAsNonRoot|` +
	`runAsUser|runAsGroup|fsGroup|fsGroupChangePolicy|seccompProfile/type)|affinity/podAntiAffinity/` +
	`requiredDuringSchedulingIgnoredDuringExecution/0/(topologyKey|labelSelector/matchLabels/app)|volumes/\w+/(name|` +
	`configMap/name|secret/(secretName|defaultMode))|containers/beanfield/(name|image|ports/\w+/(name|containerPort)|` +
	`(readiness|liveness)Probe/(httpGet/(path|port)|\w+Seconds|failureThreshold)|resources/(requests/cpu|` +
	`(requests|limits)/memory)|securityContext/(allowPrivilegeEscalation|readOnlyRootFilesystem|capabilities/drop/0)|` +
	`volumeMounts/\w+/(name|mountPath|readOnly)))))$`)

// wanted are values of the example that must fit others, the image, and its configuration.
const wanted = `SET/replicas = %d
SET/podManagementPolicy = Parallel
SET/serviceName = beanfield-nodes
SET/selector/matchLabels/app = beanfield
SET/template/metadata/labels/app = beanfield
SET/volumeClaimTemplates/0/metadata/name = data
SET/volumeClaimTemplates/1/metadata/name = backups
POD/volumes/config/configMap/name = beanfield
POD/volumes/nodes/secret/secretName = beanfield-nodes
POD/securityContext/runAsUser = %s
POD/securityContext/runAsGroup = %s
POD/securityContext/fsGroup = %[3]s
POD/containers/beanfield/ports/http/containerPort = %d
POD/containers/beanfield/readinessProbe/httpGet/port = http
POD/containers/beanfield/livenessProbe/httpGet/port = http
POD/containers/beanfield/ports/clients/containerPort = %d
Service beanfield/spec/ports/clients/port = %[5]d
Service beanfield/spec/ports/clients/targetPort = clients
Service beanfield/spec/selector/app = beanfield
POD/containers/beanfield/ports/nodes/containerPort = %d
Service beanfield-nodes/spec/ports/nodes/port = %[6]d
Service beanfield-nodes/spec/ports/nodes/targetPort = nodes
POD/containers/beanfield/ports/links/containerPort = %d
Service beanfield-nodes/spec/ports/links/port = %[7]d
Service beanfield-nodes/spec/ports/links/targetPort = links
Service beanfield-nodes/spec/clusterIP = None
Service beanfield-nodes/spec/publishNotReadyAddresses = true
Service beanfield-nodes/spec/selector/app = beanfield
PodDisruptionBudget beanfield/spec/maxUnavailable = 1
PodDisruptionBudget beanfield/spec/selector/matchLabels/app = beanfield
NetworkPolicy beanfield/spec/podSelector/matchLabels/app = beanfield
NetworkPolicy beanfield/spec/ingress/0/ports/0/port = clients
NetworkPolicy beanfield/spec/ingress/1/from/0/podSelector/matchLabels/app = beanfield
NetworkPolicy beanfield/spec/ingress/1/ports/0/port = nodes
NetworkPolicy beanfield/spec/ingress/1/ports/1/port = links
NetworkPolicy beanfield/spec/ingress/2/ports/0/port = http`

// The example for Kubernetes fits together, fits the image, and says of ports, pages, files and names what the server
// does. Its nodes are called as the pods of a StatefulSet, and found as these are.
func TestKubernetes(t *testing.T) {
	flat := map[string]string{}
	for document := range strings.SplitSeq(string(must.Get(os.ReadFile("../../tools/package/files/kubernetes.yaml"))),
		"\n---\n") {
		var object map[string]any
		must.Do(t, yaml.Unmarshal([]byte(document), &object))
		flatten(flat, fmt.Sprint(object["kind"], " ", object["metadata"].(map[string]any)["name"]), object)
	}
	text := flat["ConfigMap beanfield/data/beanfield.toml"]
	dir := nodesSecret(t, text)
	c := configOf(t, "", strings.NewReplacer("/etc/beanfield-nodes", dir, "/var/lib/beanfield/data", t.TempDir(),
		"/var/lib/beanfield/backups", dir, "[cluster]\n", "[cluster]\nnode = 'beanfield-0'\n").Replace(text))
	if doubts := c.Doubts(); len(doubts) > 0 || !c.PassesOn() || !c.HTTP.ReadOnly {
		t.Errorf("passed on: %t, doubts: %q", c.PassesOn(), doubts)
	}
	for i := range len(c.Cluster.Nodes) {
		name := fmt.Sprint("beanfield-", i)
		if host := c.Cluster.Nodes[name].Host; host != name+".beanfield-nodes.default.svc.cluster.local" {
			t.Errorf("node %s is at %q", name, host)
		}
	}
	image := string(must.Get(os.ReadFile("../../tools/package/files/Containerfile")))
	user := regexp.MustCompile(`\nUSER (\d+):(\d+)\n`).FindStringSubmatch(image)
	nodes := c.Cluster.Nodes["beanfield-0"].Port
	lines := strings.NewReplacer("SET/", "StatefulSet beanfield/spec/", "POD/", pod).Replace(fmt.Sprintf(wanted,
		len(c.Cluster.Nodes), user[1], user[2], c.HTTP.Listen[0].Port, c.Listen[0].Address.Port, nodes, nodes+1))
	for line := range strings.SplitSeq(lines, "\n") {
		if at, value, _ := strings.Cut(line, " = "); flat[at] != value {
			t.Errorf("%s is %q, want %s", at, flat[at], value)
		}
	}
	onVolumes(t, flat, regexp.MustCompile(`"(/etc/[^"]+|/var/[^"]+)"`).FindAllStringSubmatch(text+image, -1))
	at := freeAddress(t)
	server := prepare(t, "-l", "unix:DIR/s", "-http", at).start()
	for probe, want := range map[string]string{"readiness": "/readyz?any=1", "liveness": "/healthz"} {
		asked := flat[pod+"containers/beanfield/"+probe+"Probe/httpGet/path"]
		if status, _ := page(t, at, asked, ""); status != 200 || asked != want {
			t.Errorf("%s asks for %s: %d", probe, asked, status)
		}
	}
	server.stop()
}

const pod = "StatefulSet beanfield/spec/template/spec/"

// onVolumes checks that files are on volumes, and that there are no fields but the known ones.
func onVolumes(t *testing.T, flat map[string]string, files [][]string) {
	mounted := ""
	for at, value := range flat {
		if !fields.MatchString(at) {
			t.Errorf("is there a field %s?", at)
		}
		if strings.HasSuffix(at, "/mountPath") {
			mounted += value + "\n"
		}
	}
	for _, file := range files {
		if !strings.Contains(mounted, file[1]+"\n") && !strings.Contains(mounted, path.Dir(file[1])+"\n") {
			t.Errorf("%s is on no volume", file[1])
		}
	}
}

// nodesSecret makes the files of the Secret as the manual does. Their certificate is good for each node, as server
// and as client.
func nodesSecret(t *testing.T, text string) (dir string) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl here")
	}
	dir = t.TempDir()
	made := exec.Command("bash", "-ec", scriptOf("kubernetes"))
	made.Dir = dir
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pair := must.Get(tls.LoadX509KeyPair(dir+"/tls.crt", dir+"/tls.key"))
	authority := x509.NewCertPool()
	authority.AppendCertsFromPEM(must.Get(os.ReadFile(dir + "/ca.crt")))
	for _, host := range regexp.MustCompile(`"(beanfield-[^":]+):`).FindAllStringSubmatch(text, -1) {
		for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
			if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: host[1], Roots: authority,
				KeyUsages: []x509.ExtKeyUsage{usage}}); err != nil {
				t.Error(err)
			}
		}
	}
	return dir
}
