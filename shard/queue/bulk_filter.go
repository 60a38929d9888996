package queue

// Filter chooses jobs by what they are. The zero value chooses all that beanstalk clients can see.
type Filter struct {
	Tube    string // "" for all
	States  States
	Tags    Tags   // that it has, and perhaps others
	Older   int64  // nanoseconds since its put, at least
	Younger int64  // less than so many; 0: any
	Body    []byte // what its body contains; looking for that may take reading it (bulk_list.go)
}

// States are some of the states of a job; 0 are all.
type States uint8

// With adds a state.
func (s States) With(st JobState) States { return s | 1<<st }

// Has says whether a state is one of them.
func (s States) Has(st JobState) bool { return s == 0 || s&(1<<st) != 0 }

// chooses says whether a filter chooses a job, as far as neither its tube nor its body decide that.
func (s *State) chooses(f *Filter, slot uint32) bool {
	j := s.job(slot)
	if j.state() == Passed || !f.States.Has(j.state()) {
		return false
	}
	if f.Older > 0 || f.Younger > 0 {
		if age := s.now + s.Epoch - j.created(); age < f.Older || f.Younger > 0 && age >= f.Younger {
			return false
		}
	}
	return len(f.Tags) == 0 || s.jobHas(slot, f.Tags)
}
