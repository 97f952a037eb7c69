package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"path"
	"regexp"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// Company is whoever runs this installation, as its public pages name them. What is empty stays the
// sample that the pages were built with.
type Company struct {
	Name string `json:"name"`
	// Address is as on an envelope, with line breaks.
	Address      string `json:"address"`
	SalesEmail   string `json:"salesEmail"`   //nolint:tagliatelle // the pages name it so
	SupportEmail string `json:"supportEmail"` //nolint:tagliatelle // likewise
}

const (
	mostCompanyName  = 100
	mostAddressLine  = 100
	mostAddressLines = 6
	mostMailAddress  = 254
)

// ParseName checks the name that the public pages show; an empty one is left to the sample.
func ParseName(text string) (string, error) {
	return line(strings.TrimSpace(text), mostCompanyName)
}

// ParsePostalAddress takes an address whose lines are parted by semicolons or line breaks.
func ParsePostalAddress(text string) (string, error) {
	var lines []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		checked, err := line(strings.TrimSpace(part), mostAddressLine)
		if err != nil {
			return "", err
		}
		if checked != "" {
			lines = append(lines, checked)
		}
	}
	if len(lines) > mostAddressLines {
		return "", fmt.Errorf("has %d lines; expected at most %d, for example Lindenstrasse 14; 10969 Berlin", len(lines), mostAddressLines)
	}
	return strings.Join(lines, "\n"), nil
}

func line(text string, most int) (string, error) {
	if wrong := plaintext.Check(text); wrong != "" {
		return "", errors.New(wrong)
	}
	if length := len([]rune(text)); length > most {
		return "", fmt.Errorf("has a line of %d characters; expected at most %d", length, most)
	}
	return text, nil
}

// plainMail is narrower than the standards: these stand in a link, where % and ? mean something.
var plainMail = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$`)

// ParseMailAddress takes one address alone, which the public pages link to.
func ParseMailAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text != "" && (len(text) > mostMailAddress || !plainMail.MatchString(text)) {
		return "", errors.New("expected one e-mail address of letters, digits and . _ + - such as sales@example.com")
	}
	return text, nil
}

var (
	companyMeta = regexp.MustCompile(`<meta name="company" content="([^"]*)"`)
	companyText = regexp.MustCompile(`(data-company="(name|address)"[^>]*>)[^<]*`)
	companyMail = regexp.MustCompile(`(data-company="(salesEmail|supportEmail)" href="mailto:)[^"?]*`)
)

// writtenInto gives a page with this company in place of the sample, and whether anything of it
// changed. The browser reads the meta element when it draws the page again, so both agree.
func (c Company) writtenInto(name string, page []byte) ([]byte, bool) {
	meta := companyMeta.FindSubmatchIndex(page)
	if c == (Company{}) || path.Ext(name) != ".html" || meta == nil {
		return page, false
	}
	// 1. What is not set stays as the page has it.
	var shown Company
	if json.Unmarshal([]byte(html.UnescapeString(string(page[meta[2]:meta[3]]))), &shown) != nil {
		return page, false
	}
	for _, field := range []struct{ to, from *string }{
		{&shown.Name, &c.Name}, {&shown.Address, &c.Address}, {&shown.SalesEmail, &c.SalesEmail}, {&shown.SupportEmail, &c.SupportEmail},
	} {
		if *field.from != "" {
			*field.to = *field.from
		}
	}
	said, err := json.Marshal(shown)
	if err != nil {
		return page, false
	}
	// 2. For the scripts, then for the eye. All of it is text inside quotes or between tags.
	page = bytes.Join([][]byte{page[:meta[2]], []byte(html.EscapeString(string(said))), page[meta[3]:]}, nil)
	word := map[string]string{"name": shown.Name, "address": shown.Address, "salesEmail": shown.SalesEmail, "supportEmail": shown.SupportEmail}
	for _, place := range []*regexp.Regexp{companyText, companyMail} {
		page = place.ReplaceAllFunc(page, func(found []byte) []byte {
			parts := place.FindSubmatch(found)
			return append(bytes.Clone(parts[1]), html.EscapeString(word[string(parts[2])])...)
		})
	}
	return page, true
}

// forms are a changed page as it is and gzipped, by suffix. Brotli would need another library to
// save 2.5 kB of the landing page.
func forms(page []byte) map[string][]byte {
	var zipped bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is a good one
	_, _ = writer.Write(page)                                       // memory takes all
	_ = writer.Close()
	return map[string][]byte{"": page, gzipped.suffix: zipped.Bytes()}
}
