package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"
)

// The header names of Standard Webhooks.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// Sign gives the value of webhook-signature: "v1," and the base64 of the HMAC-SHA256
// of "id.timestamp.body". Secret is the key itself, which people are shown as "whsec_"
// and its base64.
func Sign(secret []byte, id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + timestamp(at) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
