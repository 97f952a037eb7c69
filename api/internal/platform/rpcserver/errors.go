package rpcserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// outcome is how one kind of fault looks from outside.
type outcome struct {
	code   connect.Code
	status int
}

// outcomes is the one table from fault to Connect code and HTTP status. Connect derives its own
// HTTP status from its code; REST uses ours, because people tell 409 from 400 and 422. What is too large is no
// resource_exhausted, for which clients send it again.
var outcomes = map[fault.Kind]outcome{
	fault.Invalid:         {connect.CodeInvalidArgument, http.StatusBadRequest},
	fault.Unauthenticated: {connect.CodeUnauthenticated, http.StatusUnauthorized},
	fault.Denied:          {connect.CodePermissionDenied, http.StatusForbidden},
	fault.NotFound:        {connect.CodeNotFound, http.StatusNotFound},
	fault.WrongVerb:       {connect.CodeUnimplemented, http.StatusMethodNotAllowed},
	fault.Conflict:        {connect.CodeFailedPrecondition, http.StatusConflict},
	fault.Stale:           {connect.CodeAborted, http.StatusPreconditionFailed},
	fault.TooLarge:        {connect.CodeInvalidArgument, http.StatusRequestEntityTooLarge},
	fault.Unsupported:     {connect.CodeInvalidArgument, http.StatusUnsupportedMediaType},
	fault.Unprocessable:   {connect.CodeInvalidArgument, http.StatusUnprocessableEntity},
	fault.Limited:         {connect.CodeResourceExhausted, http.StatusTooManyRequests},
	fault.Internal:        {connect.CodeInternal, http.StatusInternalServerError},
	fault.Unavailable:     {connect.CodeUnavailable, http.StatusServiceUnavailable},
}

// statusClientGone is nginx's number for a caller that hung up; nobody reads the answer.
const statusClientGone = 499

// Outcomes that no domain asks for.
var (
	errInternal = fault.New(fault.Internal, "internal",
		"Something went wrong on our side. Try again; if it stays, send us the request id.")
	errTimeout = fault.New(fault.Unavailable, "timeout", "This took too long. Try again.").After(1)
	errGone    = fault.New(fault.Unavailable, "client_gone", "The caller hung up.")
)

// Classifier turns what a library says into a fault, such as a database that is away into
// fault.Unavailable. It returns nil for what it does not know.
type Classifier func(error) *fault.Error

// refusal finds the fault that a caller may see for err, and logs what only we may see. Whatever
// is not a fault is our mistake and answered with a generic sentence.
func refusal(ctx context.Context, err error, classify Classifier) *fault.Error {
	logger := requestFrom(ctx).logger
	known, ok := fault.Of(err)
	if !ok && classify != nil {
		known = classify(err)
	}
	switch {
	case known != nil && known.Kind == fault.Internal:
		logger.ErrorContext(ctx, "internal fault", "error", err)
	case known != nil && (known.Kind == fault.Invalid || known.Kind == fault.Unsupported || known.Kind == fault.Unprocessable):
		// No cause: what a parser or PostgreSQL says of input quotes it, and it may be a password.
		logger.InfoContext(ctx, "refused", "code", known.Code)
	case known != nil && (!ok || known.Unwrap() != nil):
		logger.InfoContext(ctx, "refused", "error", err)
	case known != nil:
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return errGone
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errTimeout.Because(err)
	case connect.CodeOf(err) == connect.CodeUnimplemented:
		return fault.New(fault.NotFound, "not_implemented", "This call does not exist yet.")
	default:
		logger.ErrorContext(ctx, "unexpected error", "error", err)
		return errInternal
	}
	return known
}

// settled is the fault of an error that came through the steps, where MapFaults has logged it.
func settled(ctx context.Context, err error) *fault.Error {
	seen, ok := fault.Of(err)
	if !ok {
		seen = refusal(ctx, err, nil)
	}
	requestFrom(ctx).refused = seen.Code
	return seen
}

// WriteError answers an HTTP request with {"code","message","details","request_id","help"} and the
// status of the fault in err. An err without a fault is logged and answered with a generic 500. It must be called
// before anything was written.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	writeFault(w, settled(r.Context(), refusal(r.Context(), err, nil)))
}

func writeFault(w http.ResponseWriter, seen *fault.Error) {
	status := statusOf(seen)
	if seen.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(seen.RetryAfterSeconds))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	body, err := json.Marshal(errorBody{seen.Code, seen.Message, details(seen), w.Header().Get(requestIDHeader), helpOf(seen)})
	if err != nil { // strings always marshal; this only keeps the promise of a body
		body = []byte(`{"code":"internal","message":"Something went wrong on our side.","details":[]}`)
	}
	writeJSON(w, status, body)
}

type errorBody struct {
	Code      string   `json:"code"`
	Message   string   `json:"message"`
	Details   []detail `json:"details"`
	RequestID string   `json:"request_id"`
	Help      string   `json:"help"`
}

type detail struct {
	Field   string          `json:"field"`
	Code    fault.FieldCode `json:"code"`
	Message string          `json:"message"`
}

func details(seen *fault.Error) []detail {
	list := make([]detail, 0, len(seen.Fields))
	for _, field := range seen.Fields {
		list = append(list, detail{field.Path, field.Code, field.Message})
	}
	return list
}

// helpOf is where the documentation explains the code.
func helpOf(seen *fault.Error) string { return "/docs/errors#" + seen.Code }

func statusOf(seen *fault.Error) int {
	if seen.Code == errGone.Code {
		return statusClientGone
	}
	if known, ok := outcomes[seen.Kind]; ok {
		return known.status
	}
	return http.StatusInternalServerError
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller that hung up cannot be told
}

// connectError is the fault for Connect, gRPC and gRPC-Web clients, with the details that their
// libraries know: ErrorInfo carries our code, BadRequest the fields, RequestInfo and Help the rest.
func connectError(ctx context.Context, seen *fault.Error, header http.Header) *connect.Error {
	mapped := connect.NewError(codeOf(ctx, seen), errors.New(seen.Message))
	attach(mapped, seen, RequestID(ctx))
	maps.Copy(mapped.Meta(), header)
	if seen.RetryAfterSeconds > 0 {
		mapped.Meta().Set("Retry-After", strconv.Itoa(seen.RetryAfterSeconds))
	}
	return mapped
}

func codeOf(ctx context.Context, seen *fault.Error) connect.Code {
	switch {
	case seen.Code == errGone.Code:
		return connect.CodeCanceled
	case seen.Code == errTimeout.Code && ctx.Err() != nil: // the caller's own deadline
		return connect.CodeDeadlineExceeded
	}
	if known, ok := outcomes[seen.Kind]; ok {
		return known.code
	}
	return connect.CodeInternal
}

func attach(mapped *connect.Error, seen *fault.Error, requestID string) {
	infos := []proto.Message{
		&errdetails.ErrorInfo{Reason: seen.Code, Domain: "nightbell"},
		&errdetails.RequestInfo{RequestId: requestID},
		&errdetails.Help{Links: []*errdetails.Help_Link{{Url: helpOf(seen)}}},
	}
	if len(seen.Fields) > 0 {
		broken := &errdetails.BadRequest{}
		for _, field := range seen.Fields {
			broken.FieldViolations = append(broken.FieldViolations,
				&errdetails.BadRequest_FieldViolation{Field: field.Path, Reason: string(field.Code), Description: field.Message})
		}
		infos = append(infos, broken)
	}
	for _, info := range infos {
		if detail, err := connect.NewErrorDetail(info); err == nil {
			mapped.AddDetail(detail)
		}
	}
}
