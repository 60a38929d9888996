package queue

// Holding is how many jobs a client of this shard holds. By is its Waiter, or the Receiver
// of a consumer.
type Holding struct {
	By   any
	Jobs int
}

// Holders appends the clients that hold jobs, among at most n places from a place on, and
// returns the place to go on with, or 0 after the last one. Clients that come and go
// meanwhile may be missed. A consumer whose connection has left is not told of.
func (s *State) Holders(from uint32, n int, list []Holding) ([]Holding, uint32) {
	for from = max(from, 1); from < s.clients.N; from++ {
		if n == 0 {
			return list, from
		}
		n--
		c := s.clients.Get(from)
		switch {
		case c == nil:
		case c.consumer == nil && c.held.N > 0:
			list = append(list, Holding{c.Waiter, c.held.N})
		case c.consumer != nil && c.consumer.to != nil && c.consumer.held() > 0:
			list = append(list, Holding{c.consumer.to, c.consumer.held()})
		}
	}
	return list, 0
}
