package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/google/uuid"
)

// AckClaims is what an acknowledge link stands for: this person may acknowledge the
// incidents of this delivery, in this organization, until it expires.
type AckClaims struct {
	OrgID, DeliveryID, UserID uuid.UUID
	// Expires is kept to the second.
	Expires time.Time
}

// ErrAckInvalid says that a token does not open.
var ErrAckInvalid = errors.New("the link is not one of ours, or was altered")

// AckLifetime is how long the acknowledge link of a message works.
const AckLifetime = 24 * time.Hour

const (
	ackVersion = 1
	ackClaims  = 1 + 3*16 + 8
	ackMAC     = 16
)

// MintAck makes the token of an acknowledge link. Whoever holds it may act as the
// person, for these incidents only; key must be used for nothing else.
func MintAck(key []byte, claims AckClaims) string {
	token := make([]byte, 0, ackClaims+ackMAC)
	token = append(token, ackVersion)
	token = append(token, claims.OrgID[:]...)
	token = append(token, claims.DeliveryID[:]...)
	token = append(token, claims.UserID[:]...)
	token = binary.BigEndian.AppendUint64(token, uint64(claims.Expires.Unix()))
	return base64.RawURLEncoding.EncodeToString(append(token, macOf(key, "acknowledge", token)...))
}

// OpenAck reads a token that MintAck made with the same key, and fails with
// ErrAckInvalid. Whether it has expired is for the caller to ask the database's clock,
// which set Expires.
func OpenAck(key []byte, text string) (AckClaims, error) {
	token, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(token) != ackClaims+ackMAC || token[0] != ackVersion {
		return AckClaims{}, ErrAckInvalid
	}
	if !hmac.Equal(token[ackClaims:], macOf(key, "acknowledge", token[:ackClaims])) {
		return AckClaims{}, ErrAckInvalid
	}
	claims := AckClaims{Expires: time.Unix(int64(binary.BigEndian.Uint64(token[1+3*16:])), 0).UTC()}
	copy(claims.OrgID[:], token[1:])
	copy(claims.DeliveryID[:], token[1+16:])
	copy(claims.UserID[:], token[1+2*16:])
	return claims, nil
}

func macOf(key []byte, purpose string, claims []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("nightbell " + purpose + "\x00"))
	mac.Write(claims)
	return mac.Sum(nil)[:ackMAC]
}
