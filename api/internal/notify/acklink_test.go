package notify

import (
	"bytes"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
)

var (
	ackKey = bytes.Repeat([]byte{7}, 32)
	ackFor = AckClaims{
		OrgID:      uuid.MustParse("01980000-0000-7000-8000-000000000001"),
		DeliveryID: uuid.MustParse("01980000-0000-7000-8000-000000000002"),
		UserID:     uuid.MustParse("01980000-0000-7000-8000-000000000003"),
		Expires:    time.Date(2026, 11, 22, 3, 8, 15, 0, time.UTC),
	}
)

func TestAckTokenOpens(t *testing.T) {
	token := MintAck(ackKey, ackFor)
	if got, err := OpenAck(ackKey, token); err != nil || got != ackFor {
		t.Errorf("got %+v, %v", got, err)
	}
	if got := len(token); got != 98 {
		t.Errorf("a token has %d characters", got)
	}
}

func TestAckTokenCannotBeAltered(t *testing.T) {
	token := MintAck(ackKey, ackFor)
	raw, _ := base64.RawURLEncoding.DecodeString(token)
	for bit := range len(raw) * 8 {
		altered := bytes.Clone(raw)
		altered[bit/8] ^= 1 << (bit % 8)
		if _, err := OpenAck(ackKey, base64.RawURLEncoding.EncodeToString(altered)); !errors.Is(err, ErrAckInvalid) {
			t.Fatalf("bit %d was flipped and the token opens: %v", bit, err)
		}
	}
	if _, err := OpenAck(bytes.Repeat([]byte{8}, 32), token); !errors.Is(err, ErrAckInvalid) {
		t.Errorf("opens with another key: %v", err)
	}
}

func FuzzOpenAck(f *testing.F) {
	f.Add("")
	f.Add(MintAck(ackKey, ackFor))
	f.Add(MintAck(ackKey, ackFor) + "=")
	valid := MintAck(ackKey, ackFor)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := OpenAck(ackKey, text); err == nil && text != valid {
			t.Errorf("%q opens", text)
		}
	})
}
