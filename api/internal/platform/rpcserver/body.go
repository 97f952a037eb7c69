package rpcserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const (
	// maxBody is the largest request of any call, in bytes. Webhooks have their own limit.
	maxBody = 1 << 20
	// maxPublicBody is that of a call which needs no session: anybody may send it.
	maxPublicBody = 64 << 10
	// smallBody is parsed at once, and what is wrong with it is explained. Larger ones take turns.
	smallBody = 64 << 10
)

var (
	jsonOut = protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}
	// A nested value costs up to three levels (Struct, its map, Value).
	jsonIn         = protojson.UnmarshalOptions{RecursionLimit: 3 * maxDepth}
	jsonInTolerant = protojson.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: 3 * maxDepth}
)

var errContentType = fault.New(fault.Unsupported, "content_type",
	"Send JSON in UTF-8 and say so: Content-Type: application/json.")

// readBody fills message from a JSON request, which may be gzip, and returns the JSON. No body at
// all means no fields.
func readBody(r *http.Request, most int64, large *reading, message proto.Message) ([]byte, error) {
	body, err := large.receive(r.Body)
	if err != nil || len(body) == 0 {
		return nil, err
	}
	if err := checkType(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	if body, err = unpack(r.Context(), body, r.Header.Get("Content-Encoding"), most, large); err != nil {
		return nil, err
	}
	return body, readJSON(body, message)
}

// unpack undoes the encoding, in a turn where the body is large.
func unpack(ctx context.Context, body []byte, encoding string, most int64, large *reading) ([]byte, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
	case "gzip", "x-gzip":
		return large.unzip(ctx, body, most)
	default:
		return nil, fault.New(fault.Unsupported, "content_encoding", "Send the body uncompressed or as gzip, and say which: Content-Encoding: gzip.")
	}
	if len(body) <= smallBody {
		return body, nil
	}
	return body, large.turn(ctx, int64(len(body)))
}

func bodyFault(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return fault.Newf(fault.TooLarge, "body_too_large",
			"The body is larger than %d KiB. Send less at once.", large.Limit>>10)
	}
	return fault.New(fault.Invalid, "body_incomplete",
		"The body did not arrive completely or in time. Send it again.").Because(err)
}

func checkType(given string) error {
	if given == "" {
		return nil
	}
	kind, parameters, err := mime.ParseMediaType(given)
	charset := parameters["charset"]
	if err != nil || (kind != "application/json" && !strings.HasSuffix(kind, "+json")) ||
		(charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return errContentType
	}
	return nil
}

// checkProcedureType refuses what no protocol of Connect is sent as: its own 415 has no body.
func checkProcedureType(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		known := kind == "application/json" || kind == "application/proto" || strings.HasPrefix(kind, "application/connect+") || strings.HasPrefix(kind, "application/grpc")
		if !known {
			WriteError(w, r, errContentType)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readCall reads what a call of Connect is sent before its library does, which refuses a large body as
// resource_exhausted: clients send that again. What is large waits for its turn first, and has it until the
// steps begin.
func readCall(most int64, next http.Handler) http.Handler {
	refusals := connect.NewErrorWriter()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		large := &requestFrom(ctx).large
		defer large.end()
		if err := readWhole(w, r, most, large); err != nil {
			_ = refusals.Write(w, r, connectError(ctx, settled(ctx, refusal(ctx, err, nil)), nil))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readWhole replaces the body of a call by one that has arrived and, but in envelopes, is unpacked.
func readWhole(w http.ResponseWriter, r *http.Request, most int64, large *reading) error {
	if r.Method == http.MethodGet {
		if len(r.URL.RawQuery) <= smallBody && r.URL.Query().Get("compression") == "" {
			return nil
		}
		return large.turn(r.Context(), most)
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	unary := kind == "application/json" || kind == "application/proto"
	limit := most
	if !unary {
		limit += envelopePrefix
	}
	body, err := large.receive(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		return err
	}
	switch encoding := r.Header.Get("Content-Encoding"); {
	case !unary:
		err = large.enveloped(r.Context(), body, most)
	case encoding == "", encoding == "identity", encoding == "gzip": // the library refuses others
		body, err = unpack(r.Context(), body, encoding, most, large)
		r.Header.Del("Content-Encoding")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err
}

// readJSON fills message, or says in a sentence why the body is no JSON object. Fields that the
// message does not have, or has of another type, are left with it for Validate.
func readJSON(body []byte, message proto.Message) error {
	err := jsonIn.Unmarshal(body, message)
	if err == nil {
		return nil
	}
	reflected := message.ProtoReflect()
	if strings.Contains(err.Error(), "unknown field") { // anything else would be refused again, for the same work
		err = jsonInTolerant.Unmarshal(body, message)
	}
	if err == nil {
		noteUnknown(reflected, unknownInJSON(body, reflected.Descriptor()))
		return nil
	}
	if why := whyNotJSON(body, err); why != "" {
		return fault.New(fault.Invalid, "invalid_json", why).Because(err)
	}
	var path, want string
	if len(body) <= smallBody {
		path, want = wrongType(body, reflected.Descriptor())
	}
	if want == "" {
		return fault.New(fault.Invalid, "invalid_json", "The body is JSON, but a field does not have the form that this call expects; see /v1/openapi.yaml.").Because(err)
	}
	noteUnknown(reflected, []fault.Field{{Path: path, Code: fault.BadFormat, Message: "must be " + want}})
	return nil
}

// whyNotJSON never repeats the library's text: it speaks of Go and protobuf, and it quotes values,
// one of which may be a password. It is empty for an object of which only some value does not fit.
func whyNotJSON(body []byte, err error) string {
	var syntax *json.SyntaxError
	switch jsonErr := json.Unmarshal(body, new(json.RawMessage)); { // looks at all of it and builds nothing
	case !utf8.Valid(body):
		return "The body is not valid UTF-8."
	case errors.As(jsonErr, &syntax):
		return "The body is not valid JSON: look near byte " + strconv.FormatInt(syntax.Offset, 10) + "."
	}
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return "The body must be one JSON object."
	}
	switch text := err.Error(); {
	case strings.Contains(text, "recursion"):
		return "The body is nested too deeply."
	case strings.Contains(text, "duplicate"):
		return "The body names a field twice."
	}
	return ""
}
