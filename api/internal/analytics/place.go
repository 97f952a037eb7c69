package analytics

// places finds an incident by its number. Those of an organization are counted on, so that a list is
// smaller and much faster than a map.
type places struct {
	least int32
	// list is one more than the place, so that 0 is none.
	list []int32
}

func newPlaces(incidents []Incident) places {
	if len(incidents) == 0 {
		return places{}
	}
	least, most := incidents[0].Number, incidents[0].Number
	for n := range incidents {
		least, most = min(least, incidents[n].Number), max(most, incidents[n].Number)
	}
	p := places{least, make([]int32, most-least+1)}
	for n := range incidents {
		p.list[incidents[n].Number-least] = int32(n + 1)
	}
	return p
}

func (p places) of(number int32) (place int, ok bool) {
	at := int(number) - int(p.least)
	if at < 0 || at >= len(p.list) {
		return 0, false
	}
	return int(p.list[at]) - 1, p.list[at] > 0
}

// set is a set of places, a bit for each.
type set []uint64

func newSet(size int) set { return make(set, (size+63)/64) }

// add reports whether the place was not there yet.
func (s set) add(place int) bool {
	word, bit := &s[place/64], uint64(1)<<(place%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}
