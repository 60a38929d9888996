package control

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"beanfield/storage/cluster"
)

// Node is what can be asked of one.
type Node interface {
	Status() cluster.Status
	Look(context.Context) cluster.Status
	// Orders carries them out, if the node has started.
	Orders() (Orders, error)
}

// Orders is what can be asked of a node that has started. A cluster.Node does it.
type Orders interface {
	Verify(ctx context.Context) (cluster.Verification, error)
	Move(ctx context.Context, node string) error
	Drain(ctx context.Context, node string, undo bool) error
	Join(ctx context.Context, node string) error
	Leave(ctx context.Context, node string) error
	Rebuild(ctx context.Context, node string, shard int) error
	Change(ctx context.Context, o cluster.Change) error
}

// Order is what a command has to say besides its name.
type Order struct {
	Node string `json:"node"` // "" for the one that is asked
	Undo bool   `json:"undo,omitempty"`
	// Shard is that of a rebuild; below 0 for all.
	Shard int `json:"shard"`
	// Change is what changes the cluster's nodes.
	Change cluster.Change `json:"change,omitzero"`
}

// Answer is how an order has ended.
type Answer struct {
	Error string `json:"error,omitempty"`
}

// Server answers for a node.
type Server struct {
	node Node
	http http.Server
	done chan struct{} // closed when nobody is let in any more
}

// patience bounds how long a request may take to come.
const patience = 5 * time.Second

// Serve begins to answer for a node, on the socket in a directory.
func Serve(dir string, n Node, log *slog.Logger) (*Server, error) {
	l, err := listen(dir)
	if err != nil {
		return nil, err
	}
	s := &Server{node: n, done: make(chan struct{})}
	s.http = http.Server{Handler: s.pages(), ReadTimeout: patience, ErrorLog: slog.NewLogLogger(log.Handler(),
		slog.LevelDebug)}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l)
	}()
	return s, nil
}

// Close ends all answers (CO3).
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

func (s *Server) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, r *http.Request) { reply(w, s.node.Look(r.Context())) })
	mux.HandleFunc("GET /verify", func(w http.ResponseWriter, r *http.Request) {
		var v cluster.Verification
		n, err := s.node.Orders()
		if err == nil {
			v, err = n.Verify(r.Context())
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		reply(w, v)
	})
	for name, obey := range map[string]func(context.Context, Orders, Order) error{
		"move":    func(ctx context.Context, n Orders, o Order) error { return n.Move(ctx, o.Node) },
		"drain":   func(ctx context.Context, n Orders, o Order) error { return n.Drain(ctx, o.Node, o.Undo) },
		"join":    func(ctx context.Context, n Orders, o Order) error { return n.Join(ctx, o.Node) },
		"leave":   func(ctx context.Context, n Orders, o Order) error { return n.Leave(ctx, o.Node) },
		"rebuild": func(ctx context.Context, n Orders, o Order) error { return n.Rebuild(ctx, o.Node, o.Shard) },
		"change":  func(ctx context.Context, n Orders, o Order) error { return n.Change(ctx, o.Change) },
	} {
		mux.HandleFunc("POST /"+name, func(w http.ResponseWriter, r *http.Request) {
			var o Order
			if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&o); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			if o.Node == "" {
				o.Node = s.node.Status().Node
			}
			var a Answer
			n, err := s.node.Orders()
			if err == nil {
				err = obey(r.Context(), n, o)
			}
			if err != nil {
				a.Error = err.Error()
			}
			reply(w, a)
		})
	}
	return mux
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
