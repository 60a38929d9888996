package queue

import "fmt"

// user is a client in a script: its side of the gate.
type user struct {
	w      *world
	name   string
	client Client
	ticket uint64
	open   bool
	puts   *string   // the body of a put that waits for room
	last   Op        // the latest operation with its answer
	alters *Altering // of the next operation
}

func (w *world) user(name string) *user {
	u := w.users[name]
	if u == nil {
		defer func(halting bool) { w.halting = halting }(w.halting)
		w.halting = false
		u = w.newUser(name)
		u.apply(Op{Kind: Use, Data: []byte("default")})
		u.apply(Op{Kind: Watch, Data: []byte("default")})
	}
	return u
}

// newUser is one that uses and watches nothing.
func (w *world) newUser(name string) *user {
	u := &user{w: w, name: name}
	u.client.Waiter = u
	w.users[name] = u
	return u
}

func (u *user) Arm() uint64 {
	u.ticket++
	u.open = true
	return u.ticket
}

// end lets another shard end the wait.
func (u *user) end() {
	u.open = false
	u.w.ended = append(u.w.ended, &u.client)
}

func (u *user) Waits(ticket uint64) bool { return u.open && u.ticket == ticket }

func (u *user) Claim(ticket uint64) bool {
	claimed := u.Waits(ticket)
	u.open = u.open && !claimed
	return claimed
}

func (u *user) Deliver(d Delivery) {
	u.w.t.Helper()
	if u.puts != nil {
		u.madeRoom(d)
		return
	}
	u.w.given = append(u.w.given, fmt.Sprintf("%s:%d", u.name, d.ID))
	u.w.comes(d.ID, int(d.Size), d.Small, d.Large)
	if d.About != nil {
		u.w.told(d.ID, d.About)
	}
	if d.Deadline != u.client.soonest() {
		u.w.t.Fatalf("job %d is delivered with deadline %d, first is %d", d.ID, d.Deadline, u.client.soonest())
	}
}

// madeRoom hears how a put ended that has waited for room.
func (u *user) madeRoom(d Delivery) {
	text := answerOf[d.Status]
	switch d.Status {
	case OK:
		u.w.bodies[d.ID] = *u.puts
		text = fmt.Sprintf("+%d", d.ID)
	case Exists:
		text = fmt.Sprintf("exists-%d", d.ID)
	}
	u.w.given = append(u.w.given, u.name+":"+text)
	u.puts = nil
}

func (u *user) Wake(bool, []byte) { u.w.wakes = append(u.w.wakes, u.name) }

// comes checks a body that somebody gets.
func (w *world) comes(id uint64, size int, small []byte, large [][]byte) {
	w.t.Helper()
	if body := string(small) + string(joined(large)); body != w.bodies[id] || size != len(body) {
		w.t.Fatalf("job %d comes with body %q, size %d, want %q", id, body, size, w.bodies[id])
	}
}

// told checks what a client is told of a job that it has got.
func (w *world) told(id uint64, a *About) {
	w.t.Helper()
	slot := w.s.index.find(&w.s.jobs, id)
	j := w.s.jobs.At(slot)
	tube, reserves, tags := w.s.tubeAt.Get(j.tube()).name, w.s.rares.At(j.rare).Reserves, w.s.tagsOf(slot)
	if a.Tube != tube || a.Reserves != reserves || string(a.Tags) != string(tags) {
		w.t.Fatalf("a client is told %+v of job %d of %s, %d times reserved, with %q", a, id, tube, reserves, tags)
	}
}

// batch is one with an operation of the client's.
func (u *user) batch(op Op) *Batch {
	return &Batch{Client: &u.client, Ops: []Op{op}, FairScheduler: u.w.fairOf(&u.client, op.Options), Alter: u.alters,
		Ticket: u.ticket, Authorizer: u.w.rights}
}

// apply runs one operation to its end and returns the answer.
func (u *user) apply(op Op) (Op, *Batch) {
	u.w.t.Helper()
	b := u.batch(op)
	u.w.begin(&course{b: b, say: func() string { return u.ends(b) }})
	return b.Ops[0], b
}

// ends looks at an operation that has been run.
func (u *user) ends(b *Batch) string {
	u.w.t.Helper()
	if b.Soonest != u.client.soonest() {
		u.w.t.Fatalf("the batch says that the first deadline is %d, it is %d", b.Soonest, u.client.soonest())
	}
	u.last = b.Ops[0]
	return ""
}

func joined(parts [][]byte) (whole []byte) {
	for _, p := range parts {
		whole = append(whole, p...)
	}
	return whole
}
