package postgres

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// pgx knows uuid.UUID only as a driver.Valuer: it fails to encode each one as bytes
// first, formats that error, and then goes by way of text. A quarter of the processor
// time of storing alerts went there.

// key is uuid.UUID with the methods by which pgx takes it as it is.
type key uuid.UUID

// ScanUUID implements pgtype.UUIDScanner.
func (k *key) ScanUUID(v pgtype.UUID) error {
	if !v.Valid {
		return fmt.Errorf("cannot scan NULL into %T", uuid.UUID{})
	}
	*k = v.Bytes
	return nil
}

// UUIDValue implements pgtype.UUIDValuer.
func (k key) UUIDValue() (pgtype.UUID, error) { return pgtype.UUID{Bytes: k, Valid: true}, nil }

// learnUUID makes a connection's types know uuid.UUID.
func learnUUID(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapKeyEncode}, types.TryWrapEncodePlanFuncs...)
	types.TryWrapScanPlanFuncs = append([]pgtype.TryWrapScanPlanFunc{wrapKeyScan}, types.TryWrapScanPlanFuncs...)
}

type keyEncodePlan struct{ next pgtype.EncodePlan }

// SetNext implements pgtype.WrappedEncodePlanNextSetter.
func (p *keyEncodePlan) SetNext(next pgtype.EncodePlan) { p.next = next }

// Encode implements pgtype.EncodePlan.
func (p *keyEncodePlan) Encode(value any, buffer []byte) ([]byte, error) {
	if pointer, ok := value.(*uuid.UUID); ok { // never nil: pgx writes NULL by itself
		return p.next.Encode(key(*pointer), buffer)
	}
	return p.next.Encode(key(value.(uuid.UUID)), buffer) //nolint:forcetypeassert // wrapKeyEncode has looked
}

func wrapKeyEncode(value any) (plan pgtype.WrappedEncodePlanNextSetter, nextValue any, ok bool) {
	switch value.(type) {
	case uuid.UUID, *uuid.UUID:
		return &keyEncodePlan{}, key{}, true
	default:
		return nil, nil, false
	}
}

type keyScanPlan struct{ next pgtype.ScanPlan }

// SetNext implements pgtype.WrappedScanPlanNextSetter.
func (p *keyScanPlan) SetNext(next pgtype.ScanPlan) { p.next = next }

// Scan implements pgtype.ScanPlan.
func (p *keyScanPlan) Scan(source []byte, target any) error {
	return p.next.Scan(source, (*key)(target.(*uuid.UUID))) //nolint:forcetypeassert // wrapKeyScan has looked
}

func wrapKeyScan(target any) (plan pgtype.WrappedScanPlanNextSetter, nextTarget any, ok bool) {
	id, ok := target.(*uuid.UUID)
	if !ok {
		return nil, nil, false
	}
	return &keyScanPlan{}, (*key)(id), true
}
