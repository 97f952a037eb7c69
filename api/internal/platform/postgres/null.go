package postgres

// Null is a pointer to v, or nil for the zero value: what a nullable column, or an
// optional field of an answer, is given.
func Null[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	if z, ok := any(v).(interface{ IsZero() bool }); ok && z.IsZero() {
		return nil // a time.Time may name a zone and be zero
	}
	return &v
}

// Value is what a nullable column holds, or the zero value.
func Value[T any](pointer *T) (zero T) {
	if pointer == nil {
		return zero
	}
	return *pointer
}
