package nightbell

// shrinkStep makes an event smaller and reports whether the field lost something.
type shrinkStep struct {
	field string
	apply func(*Event) bool
}

// shrinkSteps are taken in turn while an event is too large: what is missed least goes first.
var shrinkSteps = []shrinkStep{
	{"error", dropSource},
	{"error", func(e *Event) bool {
		lost := e.Error != nil && len(e.Error.Breadcrumbs) > 0
		if lost {
			e.Error.Breadcrumbs = nil
		}
		return lost
	}},
	{"error", dropFrames},
	{"metadata", func(e *Event) bool {
		lost := len(e.Metadata) > 0
		e.Metadata = nil
		return lost
	}},
	{"description", func(e *Event) bool {
		long := e.Description
		e.Description = (&limiter{}).text("description", long, 2000)
		return e.Description != long
	}},
	{"error", func(e *Event) bool {
		lost := e.Error != nil && len(e.Error.Exceptions) > 1
		if lost {
			e.Error.Exceptions = e.Error.Exceptions[:1]
		}
		return lost
	}},
	{"tags", func(e *Event) bool {
		lost := len(e.Tags) > 0
		e.Tags = nil
		return lost
	}},
	{"links", func(e *Event) bool {
		lost := len(e.Links) > 0
		e.Links = nil
		return lost
	}},
}

func dropSource(e *Event) (lost bool) {
	if e.Error == nil {
		return false
	}
	for i := range e.Error.Exceptions {
		for j := range e.Error.Exceptions[i].Frames {
			f := &e.Error.Exceptions[i].Frames[j]
			lost = lost || f.Code != "" || len(f.Pre) > 0 || len(f.Post) > 0
			f.Pre, f.Code, f.Post = nil, "", nil
		}
	}
	return lost
}

// dropFrames keeps ten of each exception.
func dropFrames(e *Event) (lost bool) {
	if e.Error == nil {
		return false
	}
	for i := range e.Error.Exceptions {
		frames := &e.Error.Exceptions[i].Frames
		if len(*frames) > 10 {
			*frames, lost = (*frames)[:10], true
		}
	}
	return lost
}
