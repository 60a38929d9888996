package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"beanfield/storage/cluster/members"
	"beanfield/storage/cluster/ownership"
	"beanfield/storage/jetstream"
	"beanfield/storage/turns"
)

// ReshardName is the file with a Founding that an operator can still take back.
const ReshardName = "resharding.json"

// Former is what a node knows of the log that a reshard takes the place of.
type Former struct {
	Places   []turns.Place `json:"places"`   // where this node's copies stand
	Promised []uint64      `json:"promised"` // by shard; nil if the node does not know what it has promised
	Ended    *Ended        `json:"ended,omitempty"`
}

// Reshard is what a stopped node begins anew with, in so many shards, if its copies stand at these places. Copies that
// have the same are to have the same logs.
func Reshard(dir, cluster string, shards int, places []turns.Place) (*Founding, error) {
	is, err := readPaper(dir)
	var kept ownership.Kept
	if err == nil && is != nil {
		err = json.Unmarshal(is.Kept, &kept)
	}
	if err != nil {
		return nil, err
	}
	if is == nil || is.Cluster != cluster || !slices.EqualFunc(is.Origins, places,
		func(origin uint64, p turns.Place) bool { return origin == p.Origin }) {
		return nil, errors.New("this node has not voted since its copies, or this version of the program, came: if the " +
			"others have been given the new number, give it an empty directory; else start the cluster, and stop it when " +
			"beanfield cluster status shows no problems")
	}
	f := &Founding{Cluster: cluster, Shards: shards, Generation: is.Generation + 1,
		From: &Former{Places: places, Ended: is.Ended}}
	if len(kept.Known) == len(places) && !slices.Contains(kept.Known, false) {
		f.From.Promised = kept.Promised
	}
	for i := range shards {
		text, err := json.Marshal([]any{cluster, shards, i, places})
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		f.Origins = append(f.Origins, BaseOf(turns.Place{Origin: max(1, binary.LittleEndian.Uint64(sum[:])),
			Hash: max(1, binary.LittleEndian.Uint64(sum[8:]))}))
	}
	return f, nil
}

// Places are where the new logs begin.
func (f *Founding) Places() (places []turns.Place) {
	for _, b := range f.Origins {
		var p turns.Place
		_, _ = fmt.Sscanf(b.Origin+" "+b.Base, "%x %x", &p.Origin, &p.Hash)
		places = append(places, p)
	}
	return places
}

// Write keeps it in a node's directory, as FoundingName or ReshardName.
func (f *Founding) Write(dir, name string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(dir, name), append(text, '\n'))
}

// Resharded is what a node's directory is to begin anew with, unless that has begun, or cannot be taken back any more;
// nil if there is nothing.
func Resharded(dir, cluster string) (*Founding, error) {
	f, bound, err := readFounding(dir, cluster)
	if bound {
		f = nil
	}
	return f, err
}

// chosen is the founding that takes the place of a log, of those that nodes have: one of a copy that is complete
// (doc.go). voters are those that must be bound before. why says what is missing.
func chosen(all map[string]*Founding, own *Founding) (f *Founding, voters []string, why string) {
	mine := map[string]*Founding{}
	for name, other := range all {
		switch {
		case other.Generation != own.Generation || !slices.EqualFunc(other.From.Places, own.From.Places,
			func(a, b turns.Place) bool { return a.Origin == b.Origin }):
			return nil, nil, "node " + name + " had other logs than this node"
		case other.Shards != own.Shards:
			return nil, nil, fmt.Sprintf("node %s is to have %d shards, and this one %d: say the same number at all",
				name, other.Shards, own.Shards)
		}
		mine[name] = other
	}
	names := slices.Sorted(maps.Keys(mine))
	for _, teller := range names {
		is := mine[teller].From.Ended
		if is == nil {
			continue
		}
		voters = slices.DeleteFunc(slices.Clone(is.Nodes), func(name string) bool {
			return mine[name] == nil || !upTo(mine[name].From.Promised, is.Epochs)
		})
		if 2*len(voters) <= len(is.Nodes) {
			continue
		}
		for _, name := range names {
			if g := mine[name]; upTo(is.Numbers, numbers(g)) && (f == nil || upTo(numbers(f), numbers(g)) &&
				!slices.Equal(numbers(f), numbers(g))) {
				f = g
			}
		}
		if f != nil {
			return f, voters, ""
		}
	}
	return nil, nil, "no node can show that its copy is complete: the one that served last is not there, or was killed " +
		"while it served, or its copy has lost records"
}

func numbers(f *Founding) (all []uint64) {
	for _, p := range f.From.Places {
		all = append(all, p.Number)
	}
	return all
}

// upTo tells whether each number is at most the other one.
func upTo(these, those []uint64) bool {
	for i := range these {
		if i >= len(those) || these[i] > those[i] {
			return false
		}
	}
	return len(these) == len(those)
}

// ended is what this node knows when nothing drives it any more.
func (n *Node) ended() *Ended {
	if n.epochs == nil {
		return nil
	}
	e, newest := &Ended{Epochs: n.epochs, Nodes: n.replicas[0].shard.Nodes()}, uint64(0)
	for i := range n.replicas {
		e.Numbers = append(e.Numbers, n.copies.Place(i).Number)
		if t, err := members.Decode(n.copies.Members(i)); err == nil && t.Version > newest {
			e.Nodes, newest = t.Names(), t.Version
		}
	}
	return e
}

// binding is what a node asks others before it founds the cluster anew: that they have no way back.
const binding = "binding"

// bind makes that so.
func (b *beginning) bind() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bound {
		return nil
	}
	dir := b.node.o.Dir
	err := os.Rename(filepath.Join(dir, ReshardName), filepath.Join(dir, FoundingName))
	if err == nil {
		err = syncDir(dir)
	}
	b.bound = err == nil
	return err
}

// forget has the node found nothing.
func (b *beginning) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.founds = nil
}

// generation is that of the streams that this node is to use. It waits until those of a new one may be made, or are
// there.
func (b *beginning) generation(ctx context.Context) (int, error) {
	f, what := b.paper(), waitsForStreams
	if f != nil && f.From != nil {
		what = fmt.Sprintf("a complete copy, with which the cluster begins with %d shards", f.Shards)
	}
	w := b.node.saying(what)
	defer w.done()
	for {
		now, _, err := jetstream.Newest(ctx, b.node.conn, b.node.o.Name)
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case err != nil:
			w.because(err)
		case f == nil:
			why := b.overtaken(ctx, now)
			if why == "" {
				return now, nil
			}
			w.because(errors.New(why))
		case f.Generation == now:
			return now, b.bind()
		case f.Generation < now && b.bound: // it has begun since with what others have
			b.forget()
			return now, nil
		case f.Generation < now:
			return 0, fmt.Errorf("%w: the number of shards has been changed more than once without this node: give it "+
				"an empty directory", ErrRefused)
		default:
			why := b.agree(ctx, f)
			if b.allowed = why == ""; b.allowed {
				return f.Generation, nil
			}
			w.because(errors.New(why))
		}
		if err := pause(ctx, foundingLimit/2); err != nil {
			return 0, err
		}
	}
}

// overtaken says that other nodes are about to begin anew, so that the streams that are there are of no use. A node
// that has been none of the cluster's waits also for those that may yet take that back.
func (b *beginning) overtaken(ctx context.Context, now int) (why string) {
	_, voted := os.Stat(filepath.Join(b.node.o.Dir, promisesName))
	names := b.node.names()
	for i, r := range b.node.askNodes(ctx, names, foundingLimit, question{About: founding}) {
		if r.Paper != nil && r.Paper.Generation > now && (r.Bound || voted != nil) {
			why = fmt.Sprintf("node %s is about to begin the cluster with %d shards; if this node has copies, stop "+
				"it, and say beanfield cluster reshard -to %[2]d here, too", names[i], r.Paper.Shards)
		}
	}
	return why
}

// agree asks all nodes what they have. If this one is to found the cluster anew, it says nothing, and there is no way
// back.
func (b *beginning) agree(ctx context.Context, f *Founding) (why string) {
	names := b.node.names()
	all := map[string]*Founding{}
	ask := func(names []string, about string) (lacking []string) {
		for i, r := range b.node.askNodes(ctx, names, foundingLimit, question{About: about}) {
			if all[names[i]] = r.Paper; r.Paper == nil {
				delete(all, names[i])
				lacking = append(lacking, names[i])
			}
		}
		return lacking
	}
	lacking := ask(names, founding)
	is, voters, why := chosen(all, f)
	switch {
	case is == nil && len(lacking) > 0:
		return fmt.Sprintf("%s. Nodes that are not there, or at which beanfield cluster reshard -to %d was not said: %s",
			why, f.Shards, strings.Join(lacking, ", "))
	case is == nil:
		return fmt.Sprintf("%s. Stop all nodes, say beanfield cluster reshard -to %d at each, which takes this "+
			"back, start them, stop them in order (SIGTERM, as systemctl stop does), and begin again", why, len(f.From.Places))
	case !slices.Equal(is.Origins, f.Origins):
		return "another node has one, and is about to begin"
	}
	ask(voters, binding)
	if is, _, why = chosen(all, f); is == nil || !slices.Equal(is.Origins, f.Origins) {
		return "the nodes do not have any more what they had: " + why
	}
	return ""
}

// mayMake tells whether this node may make the streams of a shard that a reshard begins with. Whoever makes the first
// one of all decides which copies the cluster begins with.
func (b *beginning) mayMake(f *Founding, i int) bool {
	if i == 0 {
		return b.allowed
	}
	return BaseOf(turns.Place{Origin: b.node.replicas[0].shard.Origin()}).Origin == f.Origins[0].Origin
}

// mine tells whether the streams begin with this node's copies. If not, these are of no use.
func (b *beginning) mine() bool {
	f := b.paper()
	if f == nil || f.From == nil {
		return true
	}
	for i, r := range b.node.replicas {
		if i >= len(f.Origins) || BaseOf(turns.Place{Origin: r.shard.Origin(), Hash: r.shard.Base()}) != f.Origins[i] {
			return false
		}
	}
	return true
}

// begunAnew removes what this node would have begun with.
func (b *beginning) begunAnew() error {
	b.forget()
	err := os.Remove(filepath.Join(b.node.o.Dir, FoundingName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, syncDir(b.node.o.Dir))
}

// sweep removes the streams of older generations. Those of this node's are there.
func (n *Node) sweep() {
	if n.generation == 0 {
		return
	}
	n.begun.Go(func() {
		_, older, err := jetstream.Newest(n.ctx, n.conn, n.o.Name)
		if err == nil {
			err = jetstream.Remove(n.ctx, n.conn, older)
		}
		if err != nil && n.ctx.Err() == nil {
			n.o.Logger.Info("old streams may be left until the next start", "error", err)
		}
	})
}
