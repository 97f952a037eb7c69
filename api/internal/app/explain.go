package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// ExplainOptions are a question to a running Nightbell: who would be paged.
type ExplainOptions struct {
	URL    string `env:"NIGHTBELL_URL,NIGHTBELL_BASE_URL" default:"http://127.0.0.1:8480" help:"The running Nightbell to ask." placeholder:"URL"`
	APIKey string `name:"api-key" env:"NIGHTBELL_API_KEY" help:"An API key of the organization that has the scope config:read; the role viewer is enough." placeholder:"KEY"`

	Service  string `help:"Name or id of the service; an incident without one when not given." placeholder:"SERVICE"`
	Severity string `enum:"critical,high,medium,low" default:"critical" help:"Severity of the incident: ${enum}."`
	At       string `help:"When it opens, for example 2026-11-28T03:00:00Z, or 2026-11-28T03:00 here; now when not given." placeholder:"TIME"`
	JSON     bool   `name:"json" help:"Print the API's answer."`
}

// setURL is the advice about an address that does not fit.
const setURL = "set NIGHTBELL_URL to where it runs (NIGHTBELL_BASE_URL is read only where that is not set)"

// askTimeout is the longest that a person at a prompt waits.
const askTimeout = 15 * time.Second

// Explain asks a running Nightbell who would be paged for a service and a severity at a
// time, and prints the answer with its reasons. Nobody is paged. The error is a sentence
// that says what to do.
func Explain(ctx context.Context, options ExplainOptions, out io.Writer) error {
	if options.APIKey == "" {
		return errors.New("NIGHTBELL_API_KEY is not set: make a key with the scope config:read under Settings, API keys, and pass it with --api-key or the variable")
	}
	if at, err := url.Parse(options.URL); err != nil || at.Host == "" || (at.Scheme != "http" && at.Scheme != "https") {
		return fmt.Errorf("%q is no address of a Nightbell: it begins with http:// or https://, for example http://127.0.0.1:8480; %s", plaintext.Line(options.URL), setURL)
	}
	at, err := askedTime(options.At, time.Local)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answer, err := options.ask(ctx, at)
	if err != nil {
		return errors.New(plaintext.Line(err.Error()))
	}
	if options.JSON {
		text, err := protojson.MarshalOptions{UseProtoNames: true, Multiline: true, EmitDefaultValues: true}.Marshal(answer)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, plaintext.Escape(string(text)))
		return err
	}
	zone := time.Local
	if options.At != "" {
		zone = at.Location()
	}
	_, err = io.WriteString(out, plaintext.Text(explanation(answer, zone)))
	return err
}

// askedTime reads --at; the zero time means now.
func askedTime(text string, local *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, local); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("--at %q is no time: use 2026-11-28T03:00:00Z, or 2026-11-28T03:00 for the time here", text)
}

func (o ExplainOptions) ask(ctx context.Context, at time.Time) (*nightbellv1.ExplainResponse, error) {
	request := &nightbellv1.ExplainRequest{ServiceId: o.Service, Severity: o.Severity}
	if !at.IsZero() {
		request.At = timestamppb.New(at)
	}
	client, base := &http.Client{Transport: keyed{o.APIKey}}, strings.TrimRight(o.URL, "/")
	if o.Service != "" {
		var err error
		if request.ServiceId, err = o.findService(ctx, nightbellv1connect.NewCatalogServiceClient(client, base, connect.WithProtoJSON())); err != nil {
			return nil, err
		}
	}
	answer, err := nightbellv1connect.NewEscalationServiceClient(client, base, connect.WithProtoJSON()).Explain(ctx, request)
	return answer, o.inWords(err)
}

// findService takes an id, or the name of a service in whatever case.
func (o ExplainOptions) findService(ctx context.Context, catalog nightbellv1connect.CatalogServiceClient) (id string, err error) {
	answer, err := catalog.ListServices(ctx, &nightbellv1.ListServicesRequest{})
	if err != nil {
		return "", o.inWords(err)
	}
	names := make([]string, 0, len(answer.GetServices()))
	for _, service := range answer.GetServices() {
		if service.GetId() == o.Service || strings.EqualFold(service.GetName(), o.Service) {
			return service.GetId(), nil
		}
		names = append(names, service.GetName())
	}
	if len(names) == 0 {
		return "", fmt.Errorf("there is no service %q: there is none at all", o.Service)
	}
	return "", fmt.Errorf("there is no service %q; there are: %s", o.Service, strings.Join(names, ", "))
}

// inWords says what went wrong without the words of the protocol.
func (o ExplainOptions) inWords(err error) error {
	var refusal *connect.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &refusal):
		return err
	case refusal.Code() == connect.CodeUnauthenticated:
		return errors.New("the API key is not accepted; check NIGHTBELL_API_KEY")
	case connect.IsWireError(refusal):
		return errors.New(refusal.Message())
	default:
		return fmt.Errorf("nightbell does not answer at %s; %s: %w", o.URL, setURL, refusal.Unwrap())
	}
}

// keyed signs every request with an API key.
type keyed struct{ key string }

// RoundTrip sends the request with the key.
func (k keyed) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(request)
}

// explanation is the answer for people, in the times of a zone: first who, then each
// moment with its reasons.
func explanation(answer *nightbellv1.ExplainResponse, zone *time.Location) string {
	var b strings.Builder
	at := answer.GetAt().AsTime().In(zone)
	fmt.Fprintf(&b, "%s, %s, %s\n", cmp.Or(answer.GetService().GetName(), "No service"), answer.GetSeverity(), at.Format("Mon 2 Jan 2006 15:04 MST"))
	fmt.Fprintf(&b, "%s\n\n", answer.GetSummary())
	if answer.GetEscalationPolicy().GetName() != "" {
		fmt.Fprintf(&b, "Policy: %s\n", answer.GetEscalationPolicy().GetName())
	}
	day := at.YearDay()
	for _, moment := range answer.GetMoments() {
		then := moment.GetAt().AsTime().In(zone)
		if then.YearDay() != day {
			fmt.Fprintf(&b, "%s\n", then.Format("Mon 2 Jan"))
			day = then.YearDay()
		}
		writeMoment(&b, moment, then)
	}
	return b.String()
}

func writeMoment(b *strings.Builder, moment *nightbellv1.ExplainMoment, at time.Time) {
	fmt.Fprintf(b, "  %s  %-21s %s\n", at.Format("15:04"), placeOf(moment), moment.GetMessage())
	for _, page := range moment.GetPages() {
		fmt.Fprintf(b, "         %s: %s\n", cmp.Or(page.GetUser().GetName(), page.GetWhy().GetTarget().GetName()), page.GetWhy().GetSentence())
		for _, contact := range page.GetContacts() {
			fmt.Fprintf(b, "           %s  %s%s", contact.GetAt().AsTime().In(at.Location()).Format("15:04"), contact.GetChannel(), hinted(contact.GetHint()))
			if because := contact.GetSkippedBecause(); because != "" {
				fmt.Fprintf(b, ", %s", because)
			}
			b.WriteByte('\n')
		}
	}
}

// placeOf names the moment as the page /oncall/explain does: only what pages or skips is a step.
func placeOf(moment *nightbellv1.ExplainMoment) string {
	place := fmt.Sprintf("step %d", moment.GetStep())
	switch moment.GetOutcome() {
	case "exhausted":
		return "gives up"
	case "pages_nobody":
		return "pages nobody"
	case "held":
		return "held"
	case "last_resort":
		place = "last resort"
	}
	if moment.GetRound() > 1 {
		place += fmt.Sprintf(", round %d", moment.GetRound())
	}
	return place
}

func hinted(hint string) string {
	if hint == "" {
		return ""
	}
	return " (" + hint + ")"
}
