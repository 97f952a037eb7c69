package smtpcatcher

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"
)

// Mail is one caught mail.
type Mail struct {
	// From and Recipients are the envelope's.
	From       string   `json:"from"`
	Recipients []string `json:"recipients"`
	// Header holds decoded header fields by canonical name.
	Header map[string][]string `json:"header"`
	Text   string              `json:"text"`
	HTML   string              `json:"html"`
	Raw    string              `json:"raw"`
	// Encrypted tells whether it came over TLS.
	Encrypted  bool      `json:"encrypted"`
	ReceivedAt time.Time `json:"received_at"`
}

// Subject is the decoded subject.
func (m *Mail) Subject() string { return m.Get("Subject") }

// Get returns the first value of a header field; empty when there is none.
func (m *Mail) Get(name string) string {
	if values := m.Header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Parse reads a mail's header, its text and its HTML. It fails on what is not a mail.
func Parse(raw []byte) (Mail, error) {
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return Mail{}, err
	}
	caught := Mail{Raw: string(raw), Header: map[string][]string{}}
	var words mime.WordDecoder
	for name, values := range message.Header {
		for _, value := range values {
			if decoded, err := words.DecodeHeader(value); err == nil {
				value = decoded
			}
			caught.Header[name] = append(caught.Header[name], value)
		}
	}
	err = caught.readPart(message.Header.Get("Content-Type"), message.Header.Get("Content-Transfer-Encoding"), message.Body)
	return caught, err
}

func (m *Mail) readPart(contentType, encoding string, body io.Reader) error {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = "text/plain"
	}
	if strings.HasPrefix(media, "multipart/") {
		return m.readParts(multipart.NewReader(body, params["boundary"]))
	}
	if strings.EqualFold(encoding, "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	switch media {
	case "text/html":
		m.HTML = string(content)
	case "text/plain":
		m.Text = string(content)
	}
	return nil
}

func (m *Mail) readParts(parts *multipart.Reader) error {
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.readPart(part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), part); err != nil {
			return err
		}
	}
}
